#pragma once

/// Estimates of memory and time of a plan. The factors are measured; tests/repository/test_memory.py and
/// tests/bench/compare_costs.py compare the estimates with runs.

#include "experiment/requirements.hpp"

namespace rarefact {

/// How an optimizer of an experiment runs on an engine, and its explanation. The requirements of engines are
/// the table in experiment/requirements.
/// How an optimizer is run.
struct Reduction {
  Way way = Way::columns;
  Index block = 1;          ///< classes per block of the symmetric algebra
  bool task_basis = false;  ///< orthonormal embeddings have no effect: S = W, ∇L = G

  const std::string& engine() const { return engine_of(way).name; }
  /// True if it is exact; otherwise its error is estimated.
  bool exact() const { return way != Way::node_columns && way != Way::node_symmetric; }
  /// True if the matrices are column matrices.
  bool of_columns() const { return way == Way::columns || way == Way::modes || way == Way::node_columns; }
};

/// Precondition: no requirement rules out this way.
Reduction form_of(const EngineQuery& query, Way way);

/// A sentence: what the reduction stores, and `why`.
std::string reason_text(const EngineQuery& query, const Reduction& reduction, const std::string& why);

/// Number of repetitions with random rounding from which digits are estimated if the first is not enough, and
/// the average number.
inline constexpr int rounding_repetitions = 3;
inline constexpr double usual_repetitions = 1.5;

/// The cost of a training, without recorded data.
struct EngineCost {
  double bytes = 0;    ///< peak, including measurements
  double seconds = 0;  ///< of one processor, estimated for one of medium speed; the same on every machine
  double begun = 0;    ///< seconds before the first training; a share of what is done once for all optimizers
  double repetition = 0;  ///< seconds of a repetition for digits, which records losses and errors only
  /// Usual number of trainings of a run: a quadrature is also trained on fewer nodes, and leaps are checked
  /// by another training, and a dense run may have a twin. More if nodes are doubled further, or the run falls back.
  double trainings = 1;
  /// Digits are measured: requested by run.digits, or the steps of three repetitions take less than 0.3 s.
  bool digits = false;
  /// The same, or they would be if the run showed a sign of lost digits.
  bool may_repeat = false;
  /// Singular values are measured where run.spectral_metrics = "auto" or "cheap" and the matrices are small: they would at
  /// most double the time of the run. "auto" also counts its repetitions, and always allows 0.5 s.
  bool spectra = true;
  bool compares_epsilon = false;  ///< a run with ε = 0 is affordable: at most 30 s
};

/// The key of a rule's ε ("epsilon", or "param.epsilon" or "param.eps" of a formula); empty if it has none, or 0.
std::string epsilon_key(const ParameterValues& parameters);

/// `nodes`: the number for a quadrature.
EngineCost training_cost(const EngineQuery& query, const Reduction& reduction, double nodes);

/// The columns of U, if W = U V.
double inner_dimension(const Experiment& experiment, const Spectrum& spectrum);
/// d_out x d_in. Precondition: resolve() has looked at files of embeddings.
WeightShape weight_shape(const Experiment& experiment, const Spectrum& spectrum);

/// True if a dense W, or a factor of it, has at most four rows or columns: repetitions may by chance round so few entries as
/// the run does.
bool is_thin(const EngineQuery& query, const Reduction& reduction);

/// Bytes of recorded data, besides the trainings.
struct RecordedBytes {
  double rows = 0;         ///< the spectrum, and variables of the rows
  double measured = 0;     ///< series of one run
  double nodes = 0;        ///< while a quadrature is trained: the ranks of two trainings
  double predictions = 0;  ///< work space of one optimizer's predictions
  double result = 0;       ///< all series of the result
};

/// `reductions`: one per optimizer.
RecordedBytes recorded_bytes(const Experiment& experiment, const Spectrum& spectrum,
                             const std::vector<Reduction>& reductions);

/// "1.57 kB", B to PB.
std::string bytes_text(double bytes);

}  // namespace rarefact
