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
#include "model/least_squares.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// What a law of answers says of a group of alike queries.
struct PredictedAnswers {
  double right = 1;    ///< R right answers, equally likely
  double queries = 1;  ///< r alike queries that have the same answers: the fan-in
};

/// What a prediction may know of a run.
struct PredictionInput {
  std::vector<double> class_count;        ///< classes (queries) per group, may be huge or non-integer
  std::vector<double> class_probability;  ///< of one class of the group
  double class_total = 0;                 ///< K answers; of own answers the sum of class_count
  double label_noise = 0;                 ///< α
  std::vector<PredictedAnswers> answers;  ///< of each group; empty: every query has an answer of its own
  bool equal_answers = true;              ///< all answers of a query are right and equally likely
  bool alike_units = true;  ///< queries of a unit are twins, and so are its answers (model/units.hpp)
  bool even_noise = true;   ///< label noise draws all answers alike
  double similarity = 0;  ///< c: EᵀE = (1-c) I + c (ones inside a unit), ẼᵀẼ = I; then not orthonormal
  bool population = true;                    ///< exact expectation, not samples
  bool orthonormal = false;                  ///< EᵀE = ẼᵀẼ = I
  bool identity = false;                     ///< E = Ẽ = I
  bool independent = false;                  ///< the columns of E are linearly independent, and those of Ẽ
  std::string rule;                          ///< row of the optimizer catalogue
  ParameterValues parameters;                ///< of the rule, resolved
  double step_size = 0;                      ///< η
  std::string schedule = "constant";         ///< row of the schedule catalogue
  bool many_steps = false;                   ///< more than are made one by one
  std::optional<LeastSquares> squares = {};  ///< of that loss; else softmax
  double squares_noise = 0;                  ///< the loss that answer_noise leaves
  double outputs = 0;                        ///< d_out, rows of W; of least squares
  double batch = 0;                          ///< B fresh samples at every step; 0 of other data
};

/// K in the digits of Real: class_total itself, or the sum of class_count where a double would round it.
template <class Real>
Real class_total(const PredictionInput& input) {
  if (std::is_same_v<Real, double> || !input.answers.empty()) return Real(input.class_total);
  Real sum(0);
  for (const double n : input.class_count) sum += Real(n);
  return sum;
}

/// K/R of every group. A query with R equally likely right answers among K is one with one right answer among K/R:
/// p̂(R), the error, m* and the excess loss of its margin are those of K/R classes, and a right logit moves as if
/// its probability were p/R.
template <class Real>
std::vector<Real> answers_for_each_right(const PredictionInput& input) {
  std::vector<Real> totals(input.class_probability.size(), class_total<Real>(input));
  for (std::size_t g = 0; g < input.answers.size(); ++g) totals[g] /= Real(input.answers[g].right);
  return totals;
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

/// nds of the next update at the margins of one step.
template <class Real>
using SharpnessFunction = Real (*)(const PredictionInput&, std::span<const Real> margins);

/// A function in doubles, and the same in 50 digits; null where there is none.
template <template <class> class Function>
struct InBoth {
  Function<double> in16 = nullptr;
  Function<Real50> in50 = nullptr;

  template <class Real>
  Function<Real> in() const {
    if constexpr (std::is_same_v<Real, double>)
      return in16;
    else
      return in50;
  }
};

/// A row of the predictions catalogue. `name` is the id, e.g. "gd-recursion"; `formula` and `source` as for
/// every row.
struct PredictionRow : CatalogueRow {
  /// "" for the prediction stored as <variable>_predicted; "flow" for <variable>_predicted_flow.
  std::string variant;
  std::string validity;  ///< the hypotheses and the error of the prediction, in words
  /// Why the prediction does not apply to the input; nothing when it does.
  Objection (*objection)(const PredictionInput&) = nullptr;
  InBoth<MarginFunction> margins = {};
  InBoth<SharpnessFunction> sharpness = {};  ///< null: none is known; of a query for each answer
  bool of_squares = false;  ///< of least squares, where `margins` are coefficients; else of the softmax
  bool of_distances = false;  ///< of least squares with Gaussian queries, where `margins` are ‖(W - W*)E_l‖²
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

/// The start and the data: K >= 2 answers, those of a query equally likely as uniform noise leaves them, and the
/// exact population gradient.
Objection require_population(const PredictionInput& input);

/// Every query has an answer of its own; or a law of answers says which, in units of twins.
Objection require_own_answers(const PredictionInput& input);
Objection require_alike_units(const PredictionInput& input);

/// EᵀE = ẼᵀẼ = I; or the same but for similar twins.
Objection require_orthonormal(const PredictionInput& input);
Objection require_orthonormal_units(const PredictionInput& input);

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
