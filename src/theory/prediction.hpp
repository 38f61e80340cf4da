#pragma once

/// A prediction is data beside data: closed forms for the margin of every class at every step. The code of a
/// prediction never calls an optimizer; a prediction that could is no oracle.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/real50.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// What a prediction may know of a run.
struct PredictionInput {
  std::vector<double> class_count;        ///< classes per group, may be huge or non-integer
  std::vector<double> class_probability;  ///< of one class of the group
  double class_total = 0;                 ///< K = sum of class_count
  double label_noise = 0;                 ///< α
  bool own_answers = true;                ///< query l has answer l, and no other query has
  bool population = true;                 ///< exact expectation, not samples
  bool orthonormal = false;               ///< EᵀE = ẼᵀẼ = I
  bool identity = false;                  ///< E = Ẽ = I
  bool independent = false;               ///< the columns of E are linearly independent, and those of Ẽ
  std::string rule;                       ///< row of the optimizer catalogue
  ParameterValues parameters;             ///< of the rule, resolved
  double step_size = 0;                   ///< η
  std::string schedule = "constant";      ///< row of the schedule catalogue
};

/// K in the digits of Real: class_total itself, or the sum of class_count where a double would round it.
template <class Real>
Real class_total(const PredictionInput& input) {
  if constexpr (std::is_same_v<Real, double>) return input.class_total;
  Real sum(0);
  for (const double n : input.class_count) sum += Real(n);
  return sum;
}

/// The answer of a hypothesis to an input: one short sentence that says why the prediction does not apply, or
/// nothing.
using Objection = std::optional<std::string>;

/// Margins m (right logit minus wrong logit): steps x class groups, row by row. NaN where nothing is
/// predicted.
template <class Real>
using MarginsOf = std::vector<Real>;
using Margins = MarginsOf<double>;

/// Precondition: no objection; steps ascending and >= 0, and the run starts from W = 0.
template <class Real>
using MarginFunction = MarginsOf<Real> (*)(const PredictionInput&, std::span<const std::int64_t> steps);

/// A row of the predictions catalogue. `name` is the id, e.g. "gd-recursion"; `formula` and `source` as for
/// every row.
struct PredictionRow : CatalogueRow {
  /// "" for the prediction stored as <variable>_predicted; "flow" for <variable>_predicted_flow.
  std::string variant;
  std::string validity;  ///< the hypotheses and the error of the prediction, in words
  /// Why the prediction does not apply to the input; nothing when it does.
  Objection (*objection)(const PredictionInput&) = nullptr;
  MarginFunction<double> margins = nullptr;
  MarginFunction<Real50> margins50 = nullptr;  ///< the same in 50 digits

  /// One of the two.
  template <class Real>
  MarginFunction<Real> margins_in() const {
    if constexpr (std::is_same_v<Real, double>)
      return margins;
    else
      return margins50;
  }
};

/// Every prediction of trajectories, in the order of docs. At most one row of each variant applies to a
/// input.
const std::vector<PredictionRow>& prediction_catalogue();

// The hypotheses, each a question put to an input.

/// A parameter that a prediction tolerates, and the only value it tolerates; any value where none is given.
struct Tolerated {
  std::string parameter;
  std::optional<Value> neutral = {};
};

/// The first objection of several, or nothing.
Objection first_objection(std::initializer_list<Objection> objections);

/// The rule is one of `rules`, and its step size is the same throughout.
Objection require_rule(const PredictionInput& input, const std::vector<std::string>& rules);

/// The start and the data: K >= 2 classes and the exact population gradient.
Objection require_population(const PredictionInput& input);

/// EᵀE = ẼᵀẼ = I.
Objection require_orthonormal(const PredictionInput& input);

/// E and Ẽ have linearly independent columns: every matrix of logits is one of some W.
Objection require_independent(const PredictionInput& input);

/// α = 0, or α > 0.
Objection require_noiseless(const PredictionInput& input);
Objection require_noise(const PredictionInput& input);

/// Every parameter of the rule is tolerated. A parameter that is not listed is an objection: the prediction
/// cannot know what it does. A listed one that is absent has not been switched on by the user, so it is
/// neutral.
Objection require_plain(const PredictionInput& input, const std::vector<Tolerated>& tolerated);

/// The parameters of `muon` at which it is W ← W - η msgn(∇L), the exact polar factor without memory.
/// How a momentum of 0 is kept or looked ahead of changes nothing.
const std::vector<Tolerated>& plain_muon();

}  // namespace rarefact
