#pragma once

/// A resolved experiment: plain data, every default filled in. A result is a pure function of it.

#include <cstdint>
#include <string>
#include <vector>

#include "rarefact/core/catalogue.hpp"

namespace rarefact {

/// A catalogue row chosen by name together with its resolved parameters.
struct Component {
  std::string kind;
  ParameterValues parameters;
  bool operator==(const Component&) const = default;
};

/// One `[[optimizer]]`.
struct OptimizerChoice {
  std::string name;  ///< label in the results, unique in the experiment
  std::string rule;  ///< row of the optimizer catalogue
  double step_size = 0;
  ParameterValues parameters;
  bool operator==(const OptimizerChoice&) const = default;
};

/// Which steps are recorded. Step 0 (the start) and the last step always are.
struct RecordRule {
  enum class Kind { all, log, every, list } kind = Kind::all;
  std::int64_t every = 1;           ///< for `every`
  std::vector<std::int64_t> steps;  ///< for `list`, each in 0..run.steps
  bool operator==(const RecordRule&) const = default;
};

/// The steps to record in ascending order, without repetition. `log`: 0, then about 16 steps a factor of ten.
std::vector<std::int64_t> recorded_steps(const RecordRule& rule, std::int64_t last_step);

struct Experiment {
  std::string name;
  std::int64_t seed = 1;
  Component spectrum;          ///< [classes]
  Component query_embedding;   ///< E
  Component answer_embedding;  ///< Ẽ
  std::string data_mode = "population";
  double label_noise = 0;  ///< α in [0, 1)
  std::int64_t steps = 100;
  std::string engine = "auto";  ///< auto | symmetric | columns | dense
  RecordRule record;
  std::string classes = "groups";         ///< groups | all: rows of the per-class results
  std::string spectral_metrics = "auto";  ///< auto | on | off: singular-value metrics of update and weight
  std::vector<OptimizerChoice> optimizers;
  /// Where relative paths start (the folder of the experiment file). Not part of the resolved experiment.
  std::string base_directory;
  bool operator==(const Experiment&) const = default;
};

}  // namespace rarefact
