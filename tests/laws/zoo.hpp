#pragma once

/// The rules of experiments/rules.

#include <filesystem>
#include <map>

#include "experiment/plan.hpp"
#include "experiment/read.hpp"
#include "reference/project_file.hpp"

namespace laws {

using namespace rarefact;

/// Every file of experiments/rules by its name; each has one optimizer.
inline const std::map<std::string, Experiment>& zoo() {
  static const std::map<std::string, Experiment> all = [] {
    std::map<std::string, Experiment> found;
    for (const auto& entry : std::filesystem::directory_iterator(project_file("experiments/rules"))) {
      if (entry.is_directory()) continue;
      const std::string path = entry.path().string();
      found[entry.path().stem().string()] = parse_experiment(experiment_file_text(path), path);
    }
    return found;
  }();
  return all;
}

inline const ParameterValues& zoo_rule(const std::string& name) {
  return zoo().at(name).optimizers.at(0).parameters;
}

}  // namespace laws
