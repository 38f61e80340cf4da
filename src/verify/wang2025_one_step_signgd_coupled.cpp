#include <fmt/format.h>

#include <cmath>

#include "model/embedding.hpp"
#include "verify/check_row.hpp"
#include "verify/findings.hpp"
#include "verify/hypotheses.hpp"
#include "verify/judge.hpp"
#include "verify/one_step_evidence.hpp"

namespace rarefact::checks {

namespace {

constexpr const char* mass_key = "classes.head_mass";
constexpr double published_in_k = -0.3, published_in_epsilon = -0.7;
constexpr double epsilon_of_k = 0.1;
/// From here on the local slope in K is within 5e-5 of its limit: what is left falls as a power of K. The cut
/// decides digits of the fit: from K = 30, 3e15, 1e60 on it gives -0.3536, -0.3549, -0.3556.
constexpr double large = 1e100;
constexpr double slope_in_k = 1e-4;
/// ln ϱ has the slope -ratio/(1-ε) in ln ε at large K, so a fit below is off by about ratio ε.
constexpr double small = 1e-4;
/// η = ln K/m reaches 350 at K = 3e250, where the logits' last places are 6e-14.
constexpr double rounding = 1e-12;

template <class Real>
MatrixOf<Real> block_of(const Component& side, const char* name) {
  return rotation_block(side.parameters, name).cast<Real>();
}

/// Calls f with R̃ and R of a point in the precision of the evidence.
template <class Function>
double with_blocks(const Evidence& evidence, const EvidencePoint& point, const Function& f) {
  return in_precision(evidence, [&](auto zero) {
    using Real = decltype(zero);
    return f(block_of<Real>(point.experiment.answer_embedding, "answer"),
             block_of<Real>(point.experiment.query_embedding, "query"));
  });
}

double exact_rho(const Evidence& evidence, const EvidencePoint& point) {
  return with_blocks(evidence, point, [&](const auto& answer, const auto& query) {
    using Real = typename std::decay_t<decltype(answer)>::Scalar;
    return rho_of_direction<Real>(coupled_sign_direction<Real>(answer, query, point.class_total()),
                                  point.experiment.rho_epsilon);
  });
}

/// What decides at K = ∞: the orders, and the least margin of a class against an answer of its own block.
struct Limits {
  double in_k, in_epsilon, within;
};

Limits limits_of(const Evidence& evidence, const EvidencePoint& point) {
  const auto number = [&](auto member) {
    return with_blocks(evidence, point, [&](const auto& answer, const auto& query) {
      using Real = typename std::decay_t<decltype(answer)>::Scalar;
      const Real infinite(std::numeric_limits<double>::infinity());
      return Real(member(coupled_sign_margins<Real>(answer, query, infinite)));
    });
  };
  return {-number([](const auto& margins) { return margins.exponent; }),
          -number([](const auto& margins) { return margins.ratio; }),
          number([](const auto& margins) { return margins.within.minCoeff(); })};
}

/// ϱ at the threshold of the first head mass: of K at ε = 0.1, of ε at the largest K; and over the published
/// order, the greatest of all ε.
struct Measured {
  Points of_k, of_epsilon, ratio;
};

Measured measured(const EvidencePoints& points) {
  Measured all;
  const double most = values_of(points, count_key).back();
  for (const EvidencePoint* point : where(points, mass_key, points.front().parameter(mass_key))) {
    const double epsilon = point->experiment.rho_epsilon, total = point->class_total();
    const double rho = point->at("signgd", "rho_at_threshold", 1);
    if (epsilon == epsilon_of_k) all.of_k[total] = rho;
    if (point->parameter(count_key) == most) all.of_epsilon[epsilon] = rho;
    const double ratio = rho / (std::pow(epsilon, published_in_epsilon) * std::pow(total, published_in_k));
    double& greatest = all.ratio[total];
    greatest = std::isnan(ratio) ? ratio : std::max(greatest, ratio);
  }
  return all;
}

/// The slopes between neighbouring K at the geometric mean of the two.
Curve local_slopes(const Points& of_k, double limit) {
  Curve curve{.title = fmt::format("local exponent of ϱ in K at ε = {:g}", epsilon_of_k),
              .x_label = "K",
              .series = {{"measured", {}}, {"limit", {}}, {"published", {}}}};
  for (auto right = std::next(of_k.begin()); right != of_k.end(); ++right) {
    const auto left = std::prev(right);
    curve.x.push_back(std::sqrt(left->first) * std::sqrt(right->first));
    curve.series[0].y.push_back(std::log(right->second / left->second) /
                                std::log(right->first / left->first));
    curve.series[1].y.push_back(limit);
    curve.series[2].y.push_back(published_in_k);
  }
  return curve;
}

void judge_one_step_signgd_coupled(const Evidence& evidence, CheckReport& report) {
  using Kind = judge::ExponentClaim::Kind;
  const EvidencePoints& points = evidence[0];
  report.hypotheses = {hypothesis::rotated_blocks(points), hypothesis::population_without_noise(points),
                       hypothesis::two_levels(points)};
  const Limits limits = limits_of(evidence, points.front());
  const Measured all = measured(points);

  const Points far = between(all.of_k, large, std::numeric_limits<double>::infinity());
  report.findings.push_back(judge::exponent("exponent of ϱ at the threshold in K", keys(far), values(far),
                                            {.kind = Kind::at_most,
                                             .published = published_in_k,
                                             .tolerance = 0,
                                             .sharp = limits.in_k,
                                             .sharp_tolerance = slope_in_k}));
  report.findings.back().headline = true;
  const Points low = between(all.of_epsilon, 0, small);
  report.findings.push_back(judge::exponent("exponent of ϱ at the threshold in ε", keys(low), values(low),
                                            {.kind = Kind::at_least,
                                             .published = published_in_epsilon,
                                             .tolerance = 0,
                                             .sharp = limits.in_epsilon,
                                             .sharp_tolerance = 2 * small}));
  report.findings.back().headline = true;
  report.findings.push_back(judge::bounded("ϱ at the threshold / (ε^-0.7 K^-0.3), greatest over ε",
                                           keys(all.ratio), values(all.ratio)));

  double infimum = 0;
  std::vector<double> threshold, exact, of_first_mass, of_other_masses;
  for (const EvidencePoint& point : points) {
    const double rho = point.at("signgd", "rho", 1);
    infimum = std::isnan(rho) ? rho : std::max(infimum, rho);
    threshold.push_back(point.at("signgd", "rho_at_threshold", 1));
    exact.push_back(exact_rho(evidence, point));
  }
  report.findings.push_back(judge::equals("ϱ as defined, greatest over K and ε", infimum, 0, 0));
  report.findings.back().published = "O(ε^-0.7 K^-0.3)";
  report.findings.back().rule += fmt::format(
      "; a class's margin to a wrong answer of its own block is {:.3g}: as η grows its p̂ tends to 0",
      limits.within);
  report.findings.push_back(
      judge::agree("ϱ at the threshold against the closed form", threshold, exact, rounding));
  for (const double mass : values_of(points, mass_key)) {
    for (const EvidencePoint* point : where(points, mass_key, mass)) {
      (mass == values_of(points, mass_key).front() ? of_first_mass : of_other_masses)
          .push_back(point->at("signgd", "rho_at_threshold", 1));
    }
  }
  report.findings.push_back(judge::agree("ϱ at two head masses", of_first_mass, of_other_masses, rounding));

  report.curves = {{.title = fmt::format("ϱ at the threshold against K at ε = {:g}", epsilon_of_k),
                    .x_label = "K",
                    .x = keys(all.of_k),
                    .series = {{"measured", values(all.of_k)}}},
                   local_slopes(all.of_k, limits.in_k),
                   {.title = "ϱ at the threshold / (ε^-0.7 K^-0.3), greatest over ε",
                    .x_label = "K",
                    .x = keys(all.ratio),
                    .series = {{"measured", values(all.ratio)}}}};
  report.note =
      "The infimum over all admissible step sizes is exactly 0, which the published bound allows; its order "
      "is that of the value at the smallest admissible step size, which is what the exponents are of.";
  undecide_where_unmet(report);
}

}  // namespace

CheckRow one_step_signgd_coupled() {
  return {
      .id = "wang2025/one-step-signgd-coupled",
      .title = "one step of SignGD, rotated blocks, is imbalanced",
      .statement =
          "With rotated blocks of three (support-coupled embeddings), one step of SignGD that retrieves the "
          "best class with probability 1-ε retrieves the worst one with probability O(ε^{-0.7} K^{-0.3}).",
      .source = "wang2025, Theorem 5.3",
      .hypotheses = {"embeddings I ⊗ R of wang2025", "population gradient without label noise",
                     "two levels of p (they drop out)"},
      .predicted =
          "ϱ at the threshold ≍ ε^{-q} K^{q-1}, q = 0.6443 the least over the largest margin of "
          "R̃ᵀ sign(R̃Rᵀ) R; infimum 0",
      .measured = "one step on the symmetric engine with K up to 3e250; ϱ by a search over step sizes",
      .rule =
          "the exponents, fitted for K >= 1e100 and for ε <= 1e-4, are the sharp ones and on the right side "
          "of the published ones; ϱ over the published order is bounded",
      .experiments = {{.file = "wang2025/one-step-signgd-coupled.toml",
                       .quick = {"sweep.classes.count=[30, 300, 3e15, 2.1e100, 1.1e150, 3e250]"},
                       .precise = {"sweep.classes.count=[30, 300, 3e15, 2.1e100, 1.1e150, 3e250]",
                                   "sweep.run.rho_epsilon=[0.1, 1e-4, 1e-6, 1e-8]"}}},
      .judge = judge_one_step_signgd_coupled};
}

}  // namespace rarefact::checks
