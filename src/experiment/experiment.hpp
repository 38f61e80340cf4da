#pragma once

/// A resolved experiment: plain data, every default filled in. A result is a pure function of it. The initial
/// values of its members are the defaults of the keys (keys.cpp).

#include <algorithm>

#include "core/random.hpp"
#include "core/real50.hpp"
#include "model/loss.hpp"
#include "model/population.hpp"
#include "model/start.hpp"

namespace rarefact {

/// The classes that satisfy a condition, such as "rank <= 100" or "occurrences < 20 and rank > 5".
struct Band {
  std::string name;
  std::string condition;  ///< canonical text
  bool operator==(const Band&) const = default;
};

/// The band of all classes that no other band has.
inline constexpr const char* remainder_band = "medium";

/// A bound of a condition. `number` is an expression of K.
struct BandBound {
  bool of_rank = true;  ///< else of occurrences
  std::string sign;     ///< <, <=, >, >= or ==
  std::string number;
};

/// The bounds of a condition, which has all of them. Throws InputError.
std::vector<BandBound> bounds_of(const std::string& condition);

/// The seed of a random stream; nullopt: that of the run.
using OwnSeed = std::optional<std::int64_t>;

/// A catalogue row chosen by name together with its resolved parameters, and the seed of what it draws.
struct ChosenRow {
  std::string kind;
  ParameterValues parameters;
  OwnSeed seed = {};
  bool operator==(const ChosenRow&) const = default;
};

/// A step size or a decay: a number, or an expression of the problem (step_sizes.hpp).
struct StepSize {
  double number = 0;            ///< 0 beside an expression
  std::string expression = {};  ///< without blanks; empty: a number was given

  StepSize(double value = 0) : number(value) {}  // NOLINT: a number is a step size
  bool operator==(const StepSize&) const = default;
};

/// A search for the step size: `count` of them from low to high with equal ratios are run; the one of least `minimise` is
/// kept.
struct StepSearch {
  StepSize low = {}, high = {};   ///< low < high
  std::int64_t count = 2;         ///< >= 2
  std::string minimise = "loss";  ///< row of search_criteria()
  bool operator==(const StepSearch&) const = default;
};

inline constexpr double max_searched = 1000;

struct OptimizerChoice {
  std::string name;         ///< label in the results, unique in the experiment
  std::string rule;         ///< row of the optimizer catalogue
  StepSize step_size = {};  ///< η; 0 if it is searched for
  ParameterValues parameters;
  std::string schedule = "constant";  ///< row of the schedule catalogue, or an expression without blanks
  double schedule_offset = 1;         ///< t0 of inverse_sqrt; otherwise 1
  std::int64_t warmup = 0;            ///< updates before the schedule starts
  StepSize weight_decay = {};         ///< λ >= 0
  std::string weight_decay_kind = "decoupled";
  std::optional<StepSearch> search = {};
  bool operator==(const OptimizerChoice&) const = default;

  /// True if W decays by the gradient alone, that of L + λ‖W‖²/2.
  bool coupled() const { return weight_decay_kind == "coupled"; }
  bool decays() const { return weight_decay != StepSize(); }
};

inline std::string rule_key(const std::string& optimizer) {
  return "optimizer." + optimizer + ".rule";
}

/// The steps to record. Step 0 (the start) and the last step are always recorded.
struct RecordRule {
  enum class Kind { all, log, every, list } kind = Kind::all;
  std::int64_t every = 1;                ///< for `every`
  std::vector<std::int64_t> steps = {};  ///< for `list`, each in 0..run.steps
  std::int64_t log = 16;                 ///< for `log`: steps per factor of ten
  bool operator==(const RecordRule&) const = default;
};

/// A requested class: by rank (1: the most likely) or, for classes from a table, by row; the last class; or
/// at a percentile of the mass: "99%" is the first class that with all more likely ones has 99 % of it.
struct ClassAt {
  enum class Kind { rank, last, percent } kind = Kind::rank;
  double value = 1;  ///< the rank, a whole number up to 1e300, or the percentage in (0, 100)
  bool operator==(const ClassAt&) const = default;
};

/// Rows of the per-class results: one per group of equally likely classes (or node), per class, or per listed class.
struct ClassRule {
  enum class Kind { groups, all, list } kind = Kind::groups;
  std::vector<ClassAt> list;
  bool operator==(const ClassRule&) const = default;
};

inline constexpr std::int64_t min_nodes = 2;
inline constexpr std::int64_t max_nodes = 1024;
/// Upper bound of run.quadrature_tolerance: if two rules differ by more, they have not begun to converge.
inline constexpr double largest_certificate = 0.01;

/// Runs with at most this many steps make every update, whatever run.fast_forward is.
inline constexpr std::int64_t max_single_steps = 1'000'000;

struct Experiment {
  std::string name;
  std::int64_t seed = 1;
  ChosenRow spectrum;                    ///< [classes]; without a kind if the answer law has none
  ChosenRow answers = {"identity", {}};  ///< [answers]: row of answer_law_catalogue()
  const LossRow* loss = &loss_row("softmax");
  std::int64_t factors = 1;                ///< W is one matrix, or U V
  std::optional<std::int64_t> inner = {};  ///< columns of U; nullopt: K
  bool train_gains = false;                ///< W = U diag(b), b the gains of attributes, trained as U is
  LeastSquares squares;                    ///< only if the loss is least_squares
  ChosenRow query_embedding = {"identity", {}};  ///< E
  ChosenRow answer_embedding = query_embedding;  ///< Ẽ
  bool tied = false;                             ///< Ẽ = E, one matrix
  ChosenRow init = {"zero", {}};                 ///< [init]: row of start_catalogue()
  std::string data_mode = "population";          ///< row of data_mode_catalogue()
  ParameterValues data_parameters;               ///< of that row
  OwnSeed data_seed = {};
  double sampling_exponent = 1;           ///< τ: training draws by p^τ/Σ p^τ
  double label_noise = 0;                 ///< α in [0, 1)
  std::string noise_answers = "uniform";  ///< or "frequency"
  std::string recovered = "kept";         ///< or "removed": recovered facts add nothing to the gradient
  std::int64_t steps = 100;
  std::string engine = "auto";        ///< chosen automatically; or row of engine_catalogue()
  std::string fast_forward = "auto";  ///< auto | off: many updates at once
  RecordRule record;
  std::optional<std::int64_t> nodes;    ///< of a quadrature; nullopt: doubled until the tolerance is met
  double quadrature_tolerance = 1e-10;  ///< of the estimated relative error
  ClassRule classes;
  std::vector<std::int64_t> top;  ///< every k of a top-k error, ascending
  std::vector<Band> bands;        ///< of classes, over which errors are averaged
  double test_noise = 0;          ///< σ of the noise of test queries; 0: not measured
  std::int64_t test_draws = 0;    ///< draws of this noise; 0: an exact integral
  std::string spectral_metrics =
      "auto";                   ///< auto | cheap | on | off: singular-value metrics of update and weight
  std::string digits = "auto";  ///< auto | noted | on | off: the digits that rounding leaves
  std::int64_t precision = 16;  ///< significant digits: 16 (double) or 50 (engine symmetric)
  std::string arithmetic = "double";  ///< or "single": of products and exponentials of the engine dense
  double rho_epsilon = 0;             ///< ε of ϱ in (0, ½); 0: not measured
  bool push = false;                  ///< measure the change of each class's right logit by a step
  bool curvature = false;             ///< measure the loss along the next update
  bool alignment = false;             ///< measure the update along msgn of the population's gradient
  bool weights = false;               ///< store W of the last step
  std::vector<OptimizerChoice> optimizers;
  /// Relative paths start at this folder, that of the experiment file. Not part of the resolved experiment.
  std::string base_directory;
  bool operator==(const Experiment&) const = default;

  std::uint64_t seed_of(const OwnSeed& own) const { return static_cast<std::uint64_t>(own.value_or(seed)); }
  Seeds seeds() const {
    return {.answers = seed_of(answers.seed), .target = seed_of({}), .data = seed_of(data_seed)};
  }
  bool sampled() const { return data_mode != "population"; }
  /// True if the run may fast-forward.
  bool many_steps() const { return steps > max_single_steps; }
  bool own_answers() const { return answers.kind == "identity"; }
  bool is_product() const { return factors == 2; }
  bool in_factors() const { return is_product() || train_gains; }
  /// The embedding of queries that the memory sees: gains that are trained are in W, not here.
  ChosenRow memory_queries() const {
    ChosenRow queries = query_embedding;
    if (train_gains) queries.parameters.set("gains", std::vector<double>{1, 1});
    return queries;
  }
  bool starts_at_zero() const { return init.kind == "zero"; }
  /// True if entries of W in its own coordinates are given or stored, so that every embedding affects the run.
  bool in_own_coordinates() const { return weights || !start_row(init.kind).in_task_basis; }
  bool of_attributes() const { return embedding_row(query_embedding.kind).attributes; }
  bool single() const { return arithmetic == "single"; }
  bool removes_recovered() const { return recovered == "removed"; }
  NoiseAnswers noise() const {
    return noise_answers == "uniform" ? NoiseAnswers::uniform : NoiseAnswers::frequency;
  }
};

/// The number types for runs (run.precision).
struct Precision {
  std::int64_t digits;       ///< significant ones, as run.precision names them
  double bytes;              ///< of a number
  double slowness;           ///< time of a step, relative to doubles
  double product_slowness;   ///< the same for products and rotations, which are vectorised for doubles
  double max_spectral_rows;  ///< run.spectral_metrics = "auto" skips larger singular value problems
  bool underflows;           ///< exponents end near 1e-308
  const char* reason;        ///< why it determines the engine; empty if it does not
};

/// All precisions, double first.
inline constexpr Precision precisions[] = {{16, sizeof(double), 1, 1, 128, true, ""},
                                           {50, sizeof(Real50), 150, 3900, 32, false,
                                            "in 50 significant digits, which no other engine computes in"}};

inline const Precision& precision_of(const Experiment& experiment) {
  return *std::ranges::find(precisions, experiment.precision, &Precision::digits);
}

/// Calls f.operator()<Real>() with the number type.
template <class F>
auto in_precision(const Experiment& experiment, const F& f) {
  if (precision_of(experiment).underflows) return f.template operator()<double>();
  return f.template operator()<Real50>();
}

}  // namespace rarefact
