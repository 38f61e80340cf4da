#pragma once

/// Predictions: closed forms for the margin of every class at every step. The code of a prediction never
/// calls an optimizer, so that a comparison with a run tests both.

#include <array>
#include <bit>
#include <span>

#include "core/real50.hpp"
#include "model/loss.hpp"
#include "model/schedule.hpp"
#include "model/spectrum.hpp"
#include "theory/margin_paths.hpp"

namespace rarefact {

/// The answers of a group of identical queries under an answer law.
struct PredictedAnswers {
  double right = 1;    ///< R right answers, equally likely
  double queries = 1;  ///< r identical queries with the same answers: the fan-in
};

/// Queries are sums, with these gains, of equally likely subjects and relations, W(0) is zero or on the manifold; two
/// factors: gains are trained.
struct PredictedAttributes {
  std::array<double, 2> count, gain;
};

/// The properties of a run on which predictions may depend.
struct PredictionInput {
  std::vector<double> class_count = {};        ///< classes (queries) per group, may be huge or non-integer
  std::vector<double> class_probability = {};  ///< of one class of the group, in measures
  double class_total = 0;     ///< K answers; the sum of class_count if every query has its own answer
  double label_noise = 0;     ///< α
  SamplingLaw sampling = {};  ///< of training
  std::vector<PredictedAnswers> answers = {};  ///< of each group; empty: every query has its own answer
  bool equal_answers = true;                   ///< all answers of a query are right and equally likely
  bool alike_components = true;                ///< all queries of a component are identical, and all answers
  bool even_noise = true;                      ///< label noise draws all answers with equal probability
  bool population = true;                      ///< exact gradients, not samples
  bool orthonormal = false;                    ///< EᵀE = ẼᵀẼ = I
  bool equicorrelated = false;  ///< EᵀE = (1-ρ) I + ρ 11ᵀ with ρ = query_cosine, and ẼᵀẼ with answer_cosine
  double query_cosine = 0, answer_cosine = 0;
  /// Otherwise, for rows of any_embeddings: E and Ẽ up to rotations, one column a class; null: identity.
  std::shared_ptr<const Matrix> query_columns = {}, answer_columns = {};
  std::optional<PredictedAttributes> attributes = {};  ///< set if answers are orthonormal
  bool identity = false;                               ///< E = Ẽ = I
  bool independent = false;         ///< the columns of E are linearly independent, and those of Ẽ
  std::string rule;                 ///< row of the optimizer catalogue
  ParameterValues parameters;       ///< of the rule, resolved
  StepSchedule schedule = {};       ///< η_t and λ
  int factors = 1;                  ///< of W
  std::optional<double> start = 0;  ///< ε of W(0) = ε Ẽ Eᵀ, of both factors, or of a manifold; nullopt: none
  bool many_steps = false;          ///< the run has enough steps to fast-forward
  double test_noise = 0;            ///< σ of test queries; 0: not measured
  bool softmax = true;              ///< the loss is the cross-entropy of the softmax
  std::optional<LeastSquares> squares = {};  ///< set if the loss is least squares
  double squares_noise = 0;                  ///< the least loss, caused by answer_noise
  double outputs = 0;                        ///< d_out, rows of W; for least squares
  double batch = 0;  ///< B fresh samples at every step, of all classes; 0 for other data modes
  int rounding = 0;  ///< units of rounding by which all numbers are changed, to count the digits they have

  double training(std::size_t group) const { return sampling(class_probability[group]); }
};

/// K with the digits of Real: class_total, or the sum of class_count if a double would round it.
template <class Real>
Real class_total(const PredictionInput& input) {
  if (std::is_same_v<Real, double> || !input.answers.empty()) return Real(input.class_total);
  Real sum(0);
  for (const double n : input.class_count) sum += Real(n);
  return sum;
}

/// x (1 + n ε) for n units of rounding.
template <class Real>
Real rounded(const Real& x, int units) {
  return x * (1 + units * std::numeric_limits<Real>::epsilon());
}

/// True if η_t does not change, and W does not decay.
bool constant_steps(const PredictionInput& input);

/// η_t, with the rounding of the input; of a constant schedule for any t. Where steps change, or add to a start or to what
/// decays, each has a rounding of its own, and roundings down become those of Thue and Morse's sequence, of which the first two and
/// every second pair differ: equal ones would cancel in a walk to and fro.
template <class Real>
Real step_size_at(const PredictionInput& input, std::int64_t t = 0) {
  const bool own = input.rounding < 0 && (!constant_steps(input) || input.start != 0.0),
             up = own && std::popcount(static_cast<std::uint64_t>(t)) % 2 == 1;
  return rounded<Real>(input.schedule.at<Real>(t).size, up ? -input.rounding : input.rounding);
}

/// (1-ρ)(1-ρ̃): what both Gram matrices do to a matrix of logits whose rows and columns have sum 0.
template <class Real>
Real contrast(const PredictionInput& input) {
  return (1 - Real(input.query_cosine)) * (1 - Real(input.answer_cosine));
}

/// The margin at the start, ε times the contrast of the embeddings, with the rounding of the input.
template <class Real>
Real start_margin(const PredictionInput& input) {
  return rounded<Real>(Real(*input.start) * contrast<Real>(input), input.rounding);
}

/// K/R of every group. A query with R equally likely right answers among K has p̂(R), error, m* and excess loss as
/// functions of the margin like one with a single right answer among K/R, and moves as if its probability were p/R.
template <class Real>
std::vector<Real> answers_for_each_right(const PredictionInput& input) {
  std::vector<Real> totals(input.class_probability.size(), class_total<Real>(input));
  for (std::size_t g = 0; g < input.answers.size(); ++g) totals[g] /= Real(input.answers[g].right);
  return totals;
}

/// A short sentence: why a prediction does not apply to an input; nullopt if it does.
using Objection = std::optional<std::string>;
inline Objection unless(bool met, const char* why) {
  return met ? std::nullopt : Objection(why);
}

/// Margins m (right logit minus wrong logit): steps x class groups, row by row. NaN where nothing is predicted.
template <class Real>
using MarginsOf = std::vector<PredictedMargin<Real>>;
using Margins = MarginsOf<double>;

/// Preconditions: there is no objection; steps are ascending and >= 0.
template <class Real>
using MarginFunction = MarginsOf<Real> (*)(const PredictionInput&, std::span<const std::int64_t> steps);

/// Means over samples, steps x class groups.
struct PredictedMean {
  double error, excess_loss;
};
using MeanFunction = std::vector<PredictedMean> (*)(const PredictionInput&,
                                                    std::span<const std::int64_t> steps);

/// The normalised directional sharpness (nds) of the next update, from the margins at one step.
template <class Real>
using SharpnessFunction = Real (*)(const PredictionInput&, std::span<const PredictedMargin<Real>> margins);

/// A function in double and in 50 digits; null if there is none.
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

/// A parameter that a prediction accepts, and the only accepted value; without a value it has no effect.
struct Tolerated {
  std::string parameter;
  std::optional<Value> neutral = {};
};

/// A hypothesis: why an input does not satisfy it, or nullopt.
using HypothesisTest = Objection (*)(const PredictionInput&);

/// A row of the catalogue of predictions. `name` is the id, such as "gd-recursion".
struct PredictionRow : CatalogueRow {
  /// "" for the prediction stored as <variable>_predicted; "flow" and "mean" for <variable>_predicted_flow and _mean.
  std::string variant = {};
  std::string validity = {};  ///< the hypotheses and the error of the prediction, in words
  std::vector<std::string> rules = {};
  /// All parameters of a rule must be accepted, because the effect of another one is unknown.
  std::vector<Tolerated> tolerated = {};
  std::vector<HypothesisTest> hypotheses = {};  ///< tested in this order, after rule and parameters
  int factors = 1;                              ///< that W has
  bool any_start = false;                       ///< W(0) = ε Ẽ Eᵀ with any ε; otherwise ε = 0
  bool any_steps = false;       ///< η_t may change, and W may decay: W ← (1 - η_t λ) W - η_t D
  bool any_embeddings = false;  ///< reads query_columns and answer_columns; each class is a group of its own
  bool first_step = false;      ///< of steps 0 and 1 alone: W = 0 does not decay
  InBoth<MarginFunction> margins = {};
  MeanFunction means = nullptr;              ///< instead of margins: nothing is predicted for one run
  InBoth<SharpnessFunction> sharpness = {};  ///< null: unknown; requires one query per answer
  /// For least squares, where `margins` are coefficients w and what is left of them, a - w. With Gaussian queries and
  /// random targets w is NaN, and ‖(W - W*)E_l‖ is left. Otherwise for the softmax.
  bool of_squares = false;

  /// Why the prediction does not apply to the input; nullopt if it does.
  Objection objection(const PredictionInput& input) const;
};

/// All predictions of trajectories, in the order of the docs. At most one row of each variant applies to an input.
const std::vector<PredictionRow>& prediction_catalogue();

// The hypotheses of predictions.

/// Exact gradients of the population, K >= 2 answers, equally likely right answers and uniform label noise.
Objection require_population(const PredictionInput& input);

/// Every query has its own answer; or all queries of a component are identical, and all answers.
Objection require_own_answers(const PredictionInput& input);
Objection require_alike_components(const PredictionInput& input);

/// At most 1e6 steps.
Objection require_few_steps(const PredictionInput& input);
/// The same if step sizes change or W decays: a recursion then replaces the closed form.
Objection require_few_moving_steps(const PredictionInput& input);

/// EᵀE = ẼᵀẼ = I; for signgd and adam E = Ẽ = I, because they act in the coordinates of W.
Objection require_orthonormal(const PredictionInput& input);
Objection require_task_basis(const PredictionInput& input);

/// Logits move as with orthonormal embeddings, `contrast` times as far: answers, and equally likely queries, may be
/// equicorrelated.
Objection require_contrasts(const PredictionInput& input);

/// E and Ẽ have linearly independent columns, so every matrix of logits is that of some W.
Objection require_independent(const PredictionInput& input);

/// α = 0, or α > 0.
Objection require_noiseless(const PredictionInput& input);
Objection require_noise(const PredictionInput& input);

/// The first update of Muon misses no mean margin over the wrong answers by more than a fifth of its step.
Objection require_small_miss(const PredictionInput& input);

/// The parameters of `muon` for which the update is W ← W - η msgn(∇L), with the exact polar factor and no
/// momentum. With a momentum of 0, momentum_kind and nesterov have no effect.
const std::vector<Tolerated>& plain_muon();

}  // namespace rarefact
