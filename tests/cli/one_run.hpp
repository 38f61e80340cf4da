#pragma once

// An experiment in a folder of its own, and runs of it.

#include <fstream>

#include "cli/in_process.hpp"
#include "io/scratch_folder.hpp"

namespace rarefact {

struct OneRun {
  ScratchFolder folder;
  std::string experiment = (folder / "e.toml").string(), result = (folder / "e.h5").string();

  explicit OneRun(const std::string& text) { std::ofstream(experiment) << text; }
  Outcome run(const std::vector<std::string>& overrides = {}) const {
    std::vector<std::string> words = {"run", experiment, "-o", result, "--jobs", "1"};
    for (const std::string& one : overrides) words.insert(words.end(), {"--set", one});
    return rarefact_program(words);
  }
};

}  // namespace rarefact
