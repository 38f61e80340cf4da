#include <algorithm>
#include <numbers>

#include "core/transform.hpp"
#include "theory/margin_recursion.hpp"
#include "theory/sharpness.hpp"

namespace rarefact {

template <class Real>
Real sign_walk(Given<Real> stride, Given<Real> optimum, std::int64_t step) {
  const Real t = static_cast<Real>(step);
  if (optimum < 0) return -sign_walk<Real>(stride, -optimum, step);
  if (optimum > std::numeric_limits<Real>::max()) return stride * t;
  using std::ceil;
  Real top = ceil(Real(optimum / stride));  // n; a Real, because it may exceed every integer type
  // The quotient is rounded, so n is corrected by the comparisons that the walk itself makes.
  if (stride * (top - 1) >= optimum) top -= 1;
  if (stride * top < optimum) top += 1;
  if (t <= top) return stride * t;
  const bool rests = stride * top == optimum;
  const bool below = (step - static_cast<std::int64_t>(top)) % 2 != 0;
  return stride * (below && !rests ? Real(top - 1) : top);
}

template double sign_walk<double>(const double&, const double&, std::int64_t);
template Real50 sign_walk<Real50>(const Real50&, const Real50&, std::int64_t);

// Muon and the sign of the task-basis gradient move the margins of all classes by the same constant step.

namespace {

/// The largest error of a margin after the first update, as a fraction of its stride; it depends only on the
/// groups. At W = 0, with a component of R answers and r queries as one row and one column,
/// minus the gradient is (I - uuᵀ) diag(q) with u² = R/K and q = p (r/R)^½. The diagonal entry
/// of its polar factor X (XᵀX)^-½ = (2/π)∫₀^∞ X (XᵀX + t²)⁻¹ dt is
///
///         1 - (2/π) u² ∫ a/(1+a²)² / Σ u²/(1+a²) dt/t,   a = q/t, the sum over all components
///
/// and, because columns are orthogonal to u, it is 1 - u² times the resulting margin in strides.
double first_miss(const PredictionInput& input) {
  const std::size_t groups = input.class_count.size();
  std::vector<double> units(groups), share(groups), weight(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    const auto [right, queries] = input.answers.empty() ? PredictedAnswers{} : input.answers[g];
    units[g] = input.class_count[g] / queries;
    share[g] = right / input.class_total;
    weight[g] = input.training(g) * std::sqrt(queries / right);
  }
  if (groups == 0) return 0;
  // The integrand is analytic in ln t in a strip of width π, and decays as t^±1 beyond the weights.
  constexpr double step = 0.25, beyond = 12;
  const auto [lowest, highest] = std::ranges::minmax(weight);
  std::vector<double> missing(groups);
  for (double x = std::log(lowest) - beyond; x < std::log(highest) + beyond; x += step) {
    const double t = std::exp(x);
    double sum = 0;
    for (std::size_t g = 0; g < groups; ++g) sum += units[g] * share[g] / (1 + std::pow(weight[g] / t, 2));
    for (std::size_t g = 0; g < groups; ++g) {
      const double a = weight[g] / t, below = 1 + a * a;
      missing[g] += 2 * std::numbers::inv_pi * step * share[g] * a / below / below / sum;
    }
  }
  double miss = 0;
  for (std::size_t g = 0; g < groups; ++g)
    miss = std::max(miss, std::abs((1 - missing[g]) / (1 - share[g]) - 1));
  return miss;
}

/// Largest acceptable error. Beyond it the errors of the predictions grow larger than the predicted numbers.
constexpr double largest_miss = 0.2;

/// The walk of every group, given its stride for η = 1. Without label noise the optimum is infinite.
template <class Real, class Stride>
MarginsOf<Real> walks(const PredictionInput& input, std::span<const std::int64_t> steps,
                      const Stride& stride) {
  const std::vector<Real> total = answers_for_each_right<Real>(input);
  const Real noise = input.label_noise;
  if (!constant_steps(input))
    return margin_recursion<Real>(input, steps, [&](const std::vector<Real>& x, std::vector<Real>& change) {
      for (std::size_t g = 0; g < x.size(); ++g)
        change[g] = stride(g) * Real(noise == 0 || x[g] > 0 ? 1 : x[g] < 0 ? -1 : 0);
    });
  const auto optimum = mapped(total, [&](const Real& value) { return optimal_margin<Real>(value, noise); });
  MarginsOf<Real> table;
  table.reserve(steps.size() * total.size());
  const Real start = start_margin<Real>(input);
  for (const std::int64_t step : steps) {
    for (std::size_t g = 0; g < total.size(); ++g) {
      const Real length = input.schedule.at<Real>(0).size * stride(g),
                 stride_of_step = rounded<Real>(length, input.rounding),
                 margin = start > optimum[g]
                              ? Real(start - sign_walk<Real>(stride_of_step, start - optimum[g], step))
                              : Real(start + sign_walk<Real>(stride_of_step, optimum[g] - start, step));
      table.push_back({margin, distance_to_optimum<Real>(margin, total[g], noise)});
    }
  }
  return table;
}

/// The walk whose stride is `strides` times η.
template <class Real, int strides>
MarginsOf<Real> margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::sqrt;
  const Real stride = strides * sqrt(contrast<Real>(input));
  return walks<Real>(input, steps, [&](std::size_t) { return stride; });
}

/// The block of the gradient for a component is a number times a matrix of ones, with polar factor ±1/√(rR),
/// by which a right entry moves against the others.
template <class Real>
MarginsOf<Real> unit_margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::sqrt;
  return walks<Real>(input, steps, [&](std::size_t g) {
    const Real right = input.answers[g].right, queries = input.answers[g].queries;
    return Real(sqrt(Real(contrast<Real>(input) / queries / right)));
  });
}

/// The common members of the rows of Muon; `own` are the hypotheses of a row beside theirs.
PredictionRow muon_row(const std::vector<HypothesisTest>& own) {
  PredictionRow row;
  row.rules = {"muon"};
  row.tolerated = plain_muon();
  row.any_start = row.any_steps = true;
  row.hypotheses = {require_few_moving_steps, require_population, require_contrasts, require_small_miss};
  row.hypotheses.insert(row.hypotheses.end(), own.begin(), own.end());
  row.margins = {margins<double, 1>, margins<Real50, 1>};
  return row;
}

}  // namespace

Objection require_small_miss(const PredictionInput& input) {
  const double miss = first_miss(input);
  if (miss <= largest_miss) return std::nullopt;
  return fmt::format(
      "the first update misses a margin by {:.2g} of what is predicted, at most {:g} is allowed", miss,
      largest_miss);
}

PredictionRow muon_descent() {
  PredictionRow row = muon_row({require_own_answers, require_noiseless});
  row.sharpness = {sharpness_of_polar<double>, sharpness_of_polar<Real50>};
  row.name = "muon-descent";
  row.summary = "one margin for all classes under Muon without label noise";
  row.formula =
      "m <- (1 - η_t λ) m + η_t, m = 0 at the start (aligned: ε); constant steps without decay: m_t = η t, error = "
      "(K-1)/(K-1+e^{ηt})";
  row.source = "li2026, Theorem 4.2";
  row.validity =
      "rule muon with the exact polar factor, momentum 0 and lr_scale none, orthonormal or equicorrelated "
      "embeddings (as gd-recursion, η times (1-ρ)^½), population gradients, any step sizes and decoupled decay, label noise 0; asymptotic, m_t = (1+o(1)) η t: with M "
      "groups of C classes no entry of the update differs from the identity's by more than 1/C + M/C; "
      "withheld where the first update misses a mean margin over the wrong answers by more than a fifth of "
      "η";
  return row;
}

PredictionRow muon_cycle() {
  PredictionRow row = muon_row({require_own_answers, require_noise});
  row.sharpness = {sharpness_of_polar<double>, sharpness_of_polar<Real50>};
  row.name = "muon-cycle";
  row.summary =
      "one margin for all classes under Muon with label noise: up to the optimum, then a 2-cycle around it";
  row.formula =
      "m <- (1 - η_t λ) m + η_t sign(m* - m), m = 0 at the start (aligned: ε), m* = ln(π₁(K-1)/(1-π₁)), sign(0) = 0";
  row.source = "li2026, Theorem 5.1";
  row.validity =
      "rule muon with the exact polar factor, momentum 0 and lr_scale none, orthonormal or equicorrelated "
      "embeddings (as gd-recursion, η times (1-ρ)^½), population gradients, any step sizes and decoupled decay, label noise above 0; asymptotic: with M groups of C "
      "classes no entry of the update differs from plus or minus the identity's by more than 1/C + M/C; "
      "withheld where the first update misses a mean margin over the wrong answers by more than a fifth of "
      "η; where m*/η is nearly a whole number one point of the cycle sits on the minimum, so compare the "
      "maximum over two consecutive steps";
  return row;
}

PredictionRow muon_units() {
  PredictionRow row = muon_row({require_alike_components});
  row.margins = {unit_margins<double>, unit_margins<Real50>};
  row.name = "muon-units";
  row.summary = "margins under Muon of queries that share an answer, or have several answers";
  row.formula =
      "m <- (1 - η_t λ) m + η_t/√(rR) sign(m* - m), m = 0 at the start (aligned: ε), r the fan-in, R the right answers, "
      "m* = ln(π(R)(K-R)/(R(1-π(R))))";
  row.source = "rarefact2026, docs/variants.md";
  row.validity =
      "rule muon with the exact polar factor, momentum 0 and lr_scale none, answer law whose components "
      "have r equally likely queries with the same R equally likely answers; orthonormal embeddings, "
      "population gradients, uniform label noise, any step sizes and decoupled decay; exact where all components are alike, "
      "else asymptotic: with n alike components the error of the margin is O(1/n); withheld where the first "
      "update misses a mean margin over the wrong answers by more than a fifth of its stride; dense runs "
      "differ once rounding separates identical classes (twin_gain above 2), for the fastest components at "
      "an error of about η e/(2K√r), e that of the slowest";
  return row;
}

PredictionRow sign_descent() {
  // The right logit goes up by η and every wrong one down by η: the margin moves by 2η.
  PredictionRow row;
  row.rules = {"tra_signgd", "signgd"};
  row.any_start = row.any_steps = true;
  row.hypotheses = {require_few_moving_steps, require_population, require_task_basis};
  row.margins = {margins<double, 2>, margins<Real50, 2>};
  row.sharpness = {sharpness_of_sign<double>, sharpness_of_sign<Real50>};
  row.name = "sign-descent";
  row.summary = "one margin for all classes under the sign of the task-basis gradient";
  row.formula =
      "m <- (1 - η_t λ) m + 2η_t sign(m* - m), m = 0 at the start (aligned: ε), m* = ln(π₁(K-1)/(1-π₁)), sign(0) = 0";
  row.source = "li2026, Theorem 6.3";
  row.validity =
      "exact for rule tra_signgd with orthonormal embeddings and for rule signgd with identity embeddings, "
      "population gradients, any step sizes and decoupled decay, any uniform label noise; queries may share answers, and "
      "have several that are equally likely";
  return row;
}

}  // namespace rarefact
