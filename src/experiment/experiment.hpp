#pragma once

/// A resolved experiment: plain data, every default filled in. A result is a pure function of it. The values that
/// its members begin with are the defaults of the keys (keys.cpp).

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/least_squares.hpp"
#include "model/population.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// The engines: matrix algebras that hold a run, from cheap to general. What each of them requires and takes
/// is the table in experiment/requirements.
enum class Engine { modes, columns, symmetric, quadrature, dense };

/// As users write them, in the order of the enumeration.
inline constexpr std::array<std::string_view, 5> engine_names = {"modes", "columns", "symmetric",
                                                                 "quadrature", "dense"};

/// "auto" where none was asked for.
inline std::string name_of(std::optional<Engine> engine) {
  return engine ? std::string(engine_names[static_cast<std::size_t>(*engine)]) : "auto";
}

/// Nothing for any other text, such as "auto".
inline std::optional<Engine> engine_named(std::string_view name) {
  const auto found = std::find(engine_names.begin(), engine_names.end(), name);
  if (found == engine_names.end()) return {};
  return static_cast<Engine>(found - engine_names.begin());
}

/// What a run learns to make small.
enum class Loss { softmax, least_squares };

/// A catalogue row chosen by name together with its resolved parameters.
struct Component {
  std::string kind;
  ParameterValues parameters;
  bool operator==(const Component&) const = default;
};

/// The step sizes that are tried where none is given: `count` of them from low to high with equal ratios.
/// The one whose run comes to the least `minimise` is what the result shows.
struct StepSearch {
  double low = 0, high = 0;       ///< 0 < low < high; 0 where an expression stands for it
  std::int64_t count = 2;         ///< >= 2
  std::string minimise = "loss";  ///< row of search_criteria()
  std::string of = "rarest";      ///< row of searched_errors(); of criteria with a threshold, as is `below`
  double below = 0.1;             ///< in (0, 1)
  std::string low_expression = {}, high_expression = {};  ///< empty: a number was given
  bool operator==(const StepSearch&) const = default;
};

/// Most step sizes of a search.
inline constexpr double most_searched = 1000;

/// One `[[optimizer]]`.
struct OptimizerChoice {
  std::string name;      ///< label in the results, unique in the experiment
  std::string rule;      ///< row of the optimizer catalogue
  double step_size = 0;  ///< η; 0 where it is searched for or an expression stands for it
  ParameterValues parameters;
  std::string schedule = "constant";  ///< row of the schedule catalogue
  double schedule_offset = 1;         ///< t0 of inverse_sqrt; 1 elsewhere
  std::optional<StepSearch> search = {};
  std::string step_expression = {};  ///< η as an expression of the problem, without blanks; else empty
  bool operator==(const OptimizerChoice&) const = default;
};

/// The key of the rule of an optimizer of that name.
inline std::string rule_key(const std::string& optimizer) {
  return "optimizer." + optimizer + ".rule";
}

/// Which steps are recorded. Step 0 (the start) and the last step always are.
struct RecordRule {
  enum class Kind { all, log, every, list } kind = Kind::all;
  std::int64_t every = 1;                ///< for `every`
  std::vector<std::int64_t> steps = {};  ///< for `list`, each in 0..run.steps
  std::int64_t log = 16;                 ///< for `log`: how many a factor of ten
  bool operator==(const RecordRule&) const = default;
};

/// A class asked for by its rank (1: the most likely) or, of classes from a table, by its row, as the last one, or at a
/// percentile of the probability mass: "99%" is the first class that together with all more likely ones has 99 % of it.
struct ClassAt {
  enum class Kind { rank, last, percent } kind = Kind::rank;
  double value = 1;  ///< the rank, a whole number up to 1e300, or the percentage in (0, 100)
  bool operator==(const ClassAt&) const = default;
};

/// Rows of the per-class results: one a group of equally likely classes (quadrature: a panel node), one a
/// class, or one for every class of a list.
struct ClassRule {
  enum class Kind { groups, all, list } kind = Kind::groups;
  std::vector<ClassAt> list;
  bool operator==(const ClassRule&) const = default;
};

/// The steps to record in ascending order, without repetition. `log`: 0, then about so many steps a factor of ten.
std::vector<std::int64_t> recorded_steps(const RecordRule& rule, std::int64_t last_step);

/// Bounds of run.nodes.
inline constexpr std::int64_t least_nodes = 2;
inline constexpr std::int64_t most_nodes = 1024;
/// Bound of run.quadrature_tolerance: rules that differ by more have not begun to converge.
inline constexpr double largest_certificate = 0.01;

/// Runs of so many steps are made one by one, whatever run.fast_forward says.
inline constexpr std::int64_t most_single_steps = 1'000'000;

struct Experiment {
  std::string name;
  std::int64_t seed = 1;
  Component spectrum;                    ///< [classes]; of no kind where the law of answers has none
  Component answers = {"identity", {}};  ///< [answers]: row of answer_law_catalogue()
  Loss loss = Loss::softmax;
  LeastSquares squares;                          ///< of that loss alone
  Component query_embedding = {"identity", {}};  ///< E
  Component answer_embedding = query_embedding;  ///< Ẽ
  bool tied = false;                             ///< Ẽ = E, one matrix
  std::string data_mode = "population";          ///< row of data_mode_catalogue()
  ParameterValues data_parameters;               ///< of that row
  double label_noise = 0;                        ///< α in [0, 1)
  NoiseAnswers noise_answers = NoiseAnswers::uniform;
  bool removes_recovered = false;  ///< recovered facts give no gradient
  std::int64_t steps = 100;
  std::optional<Engine> engine;       ///< absent: chosen (auto)
  std::string fast_forward = "auto";  ///< auto | off: many updates at once
  RecordRule record;
  std::optional<std::int64_t> nodes;    ///< of a quadrature; absent: doubled until the tolerance is met
  double quadrature_tolerance = 1e-10;  ///< of the certified relative error
  ClassRule classes;
  std::string spectral_metrics = "auto";  ///< auto | on | off: singular-value metrics of update and weight
  std::string digits = "auto";            ///< auto | on | off: the digits that rounding leaves
  std::int64_t precision = 16;            ///< significant digits: 16 (double) or 50 (engine symmetric)
  std::string arithmetic = "double";      ///< or "single": of products and exponentials of the engine dense
  double rho_epsilon = 0;                 ///< ε of ϱ in (0, ½); 0: not measured
  bool push = false;                      ///< measure what a step does to each class's right logit
  bool curvature = false;                 ///< measure the loss along the next update
  bool alignment = false;                 ///< measure the update along msgn of the population's gradient
  std::vector<OptimizerChoice> optimizers;
  /// Where relative paths start (the folder of the experiment file). Not part of the resolved experiment.
  std::string base_directory;
  bool operator==(const Experiment&) const = default;

  /// Whether gradients are those of samples.
  bool sampled() const { return data_mode != "population"; }
  /// Whether updates may be made many at once.
  bool many_steps() const { return steps > most_single_steps; }
  /// Whether every query has an answer of its own.
  bool own_answers() const { return answers.kind == "identity"; }
  bool single() const { return arithmetic == "single"; }
  bool least_squares() const { return loss == Loss::least_squares; }
};

}  // namespace rarefact
