/// The first step of gradient descent and Muon under embeddings that make classes interact. From W = 0 minus the gradient
/// in the task basis is X = (I - 11ᵀ/K) diag(p), so with Gram matrices A of queries and Ã of answers the logits move by
///
///     gd: η Ã X A,   ngd: the same over ‖Ã^½ X A^½‖,   muon: η Ã^½ msgn(Ã^½ X A^½) A^½.

#include "theory/one_step.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

namespace {

/// A direction of logits and what multiplies it.
template <class Real>
struct FirstStep {
  OneStepLogits<Real> logits;
  Real scale;
};

/// ± units of rounding, to count the digits of what is decomposed: of number i by Thue and Morse's sequence.
double rounding_of(std::size_t i, const PredictionInput& input) {
  return (std::popcount(i) % 2 == 1 ? -1 : 1) * input.rounding * std::numeric_limits<double>::epsilon();
}

/// With correlated queries: entries k ≠ l of gd's are ρ p_k, right ones p_l, up to a constant for each column.
template <class Real>
FirstStep<Real> correlated_step(const PredictionInput& input) {
  using std::sqrt;
  ClassGroups groups{input.class_count, {}};
  for (std::size_t g = 0; g < groups.size(); ++g) groups.probability.push_back(input.training(g));
  const Real rho = input.query_cosine, spread = 1 - Real(input.answer_cosine);
  if (input.rule == "muon") {
    // Its digits are those that rounding of the largest entry leaves of the smallest.
    if (std::is_same_v<Real, double> && rho != 0) {
      const double largest = std::ranges::max(groups.probability);
      for (std::size_t g = 0; g < groups.size(); ++g)
        groups.probability[g] += rounding_of(g, input) * largest;
    }
    return {logits_of_direction(muon_direction<Real>(groups, rho)), Real(sqrt(spread))};
  }
  SymmetricMatrix<Real> direction(
      std::make_shared<const GroupStructure>(GroupStructure::blocks(1, groups.count)));
  Real squares(0), sums(0);  // of X, and of X1
  const Real total = class_total<Real>(input);
  for (Index g = 0; g < std::ssize(groups.count); ++g) {
    const Real n = groups.count[g], p = groups.probability[g];
    direction.diagonal_block(g)(0, 0) = p;
    direction.off_entries().row(g).setConstant(rho * p);
    if (!(n > 1)) direction.off_block(g, g)(0, 0) = 0;
    squares += n * p * p * (1 - 1 / total);
    sums += n * (p - 1 / total) * (p - 1 / total);
  }
  const Real norm = sqrt(Real(spread * ((1 - rho) * squares + rho * sums)));
  return {logits_of_direction(direction), input.rule == "ngd" ? Real(spread / norm) : spread};
}

/// With embeddings as drawn, one column a class.
FirstStep<double> drawn_step(const PredictionInput& input) {
  const auto classes = static_cast<Index>(input.class_probability.size());
  const auto columns = [&](const std::shared_ptr<const Matrix>& e) {
    return e ? *e : Matrix(Matrix::Identity(classes, classes));
  };
  const Matrix queries = columns(input.query_columns), answers = columns(input.answer_columns);
  Vector p(classes);
  for (Index l = 0; l < classes; ++l) p(l) = input.training(static_cast<std::size_t>(l));
  Matrix step = (answers.colwise() - answers.rowwise().mean()) * p.asDiagonal() * queries.transpose();
  for (Index l = 0; input.rounding != 0 && l < step.cols(); ++l) {
    const double norm = step.col(l).norm();
    for (Index k = 0; k < step.rows(); ++k)
      step(k, l) += rounding_of(static_cast<std::size_t>(l * step.rows() + k), input) * norm;
  }
  if (input.rule == "ngd") step /= step.norm();
  if (input.rule == "muon") step = polar_factor<double>(step);
  return {logits_of_direction(DenseMatrix{answers.transpose() * step * queries}), 1};
}

/// The length of the first direction over that without momentum: B is the first gradient, or polar factor.
double of_momentum(const PredictionInput& input) {
  const ParameterValues& given = input.parameters;
  const bool after = given.has("momentum_order") && given.text("momentum_order") == "after";
  if (!given.has("momentum") || (input.rule == "muon" && !after)) return 1;
  const double mu = given.number("momentum");
  const bool average = after || given.text("momentum_kind") == "average";
  return (average ? 1 - mu : 1) * (given.boolean("nesterov") ? 1 + mu : 1);
}

/// The margin of equal wrong logits that has the same p̂; of step 0 and 1 only.
template <class Real>
MarginsOf<Real> first_margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::log;
  const Real infinite = std::numeric_limits<Real>::infinity(), unknown(NAN);
  VectorOf<Real> margins;
  const auto at_one = [&](const auto& first) {
    using Own = std::decay_t<decltype(first.scale)>;
    const Own size = step_size_at<Own>(input) * first.scale * of_momentum(input);
    const auto odds = first.logits.log_odds(size);
    margins = (log(Own(class_total<Own>(input) - 1)) - odds.array()).matrix().template cast<Real>();
  };
  if (input.equicorrelated)
    at_one(correlated_step<Real>(input));
  else
    at_one(drawn_step(input));
  MarginsOf<Real> table;
  for (const std::int64_t step : steps)
    for (Index g = 0; g < margins.size(); ++g)
      table.push_back(step > 1    ? PredictedMargin<Real>{unknown, unknown}
                      : step == 1 ? PredictedMargin<Real>{margins(g), infinite}
                                  : PredictedMargin<Real>{Real(0), infinite});
  return table;
}

/// Matrices of K x K numbers beyond this would take more memory than many a run.
constexpr double max_drawn_classes = 1000;

Objection require_interaction(const PredictionInput& input) {
  const bool known = !input.class_probability.empty();
  if (input.orthonormal || (input.attributes && (input.rule == "gd" || input.rule == "muon")) ||
      (input.equicorrelated && (known || input.query_cosine == 0) && !require_contrasts(input)))
    return "classes do not interact, and later steps have a prediction, too";
  if (std::ranges::any_of(input.class_count, [](double n) { return n == 0; }))
    return "classes are nodes of a quadrature, and the prediction needs all of them";
  if (!input.equicorrelated && input.class_total > max_drawn_classes)
    return "there are more than 1,000 classes, and the prediction needs the products of all pairs";
  return std::nullopt;
}

}  // namespace

PredictionRow gram_first_step() {
  PredictionRow row{
      {"gram-first-step",
       "errors after the first step of GD, NGD and Muon under correlated, noisy or other embeddings",
       "gd: η Ã X A, ngd: over ‖Ã^½ X A^½‖, muon: η Ã^½ msgn(Ã^½ X A^½) A^½, X = (I - 11ᵀ/K) diag(p), A and Ã the Gram "
       "matrices",
       "derived in docs/closed-forms.md"}};
  row.validity =
      "exact at steps 0 and 1, absent later; for rules gd, ngd, momentum and muon with the exact polar factor, any "
      "embeddings, random ones as drawn, for at most 1,000 classes, population gradients, one answer per query, label noise 0; where "
      "embeddings act as orthonormal ones, other rows apply";
  row.rules = {"gd", "ngd", "momentum", "muon"};
  row.tolerated = plain_muon();
  for (Tolerated& parameter : row.tolerated)
    if (parameter.parameter == "momentum") parameter.neutral.reset();
  row.any_steps = row.any_embeddings = row.first_step = true;
  row.hypotheses = {require_population, require_noiseless, require_own_answers, require_interaction};
  row.margins = {first_margins<double>, first_margins<Real50>};
  return row;
}

}  // namespace rarefact
