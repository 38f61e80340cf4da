#include <algorithm>
#include <cmath>

#include "rarefact/theory/one_step.hpp"
#include "rarefact/verify/check_row.hpp"
#include "rarefact/verify/judge.hpp"

namespace rarefact::checks {

namespace {

constexpr const char* count = "classes.count";
constexpr const char* epsilon = "run.rho_epsilon";

/// r = min p / max p.
double probability_ratio(const EvidencePoint& point) {
  const auto [least, most] =
      std::minmax_element(point.run().class_probability.begin(), point.run().class_probability.end());
  return *least / *most;
}

void judge_one_step_gd(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  std::vector<double> infimum, threshold, exact;
  for (const EvidencePoint& point : points) {
    infimum.push_back(point.at("gd", "rho", 1));
    threshold.push_back(point.at("gd", "rho_at_threshold", 1));
    exact.push_back(in_precision(evidence, [&](auto zero) {
      using Real = decltype(zero);
      return rho_gd<Real>(Real(point.class_total()), Real(probability_ratio(point)),
                          Real(point.parameter(epsilon)))
          .value;
    }));
  }
  const double r = probability_ratio(points.front());
  Finding sharp = judge::agree("ϱ at the threshold against the exact form", threshold, exact, 1e-12);
  report.findings = {sharp,
                     judge::agree("infimum against the value at the threshold", infimum, threshold, 1e-15)};

  Curve curve{.title = "ϱ at ε = 0.1 against K", .x_label = "K", .series = {{"measured", {}}, {"exact", {}}}};
  std::vector<double> ratio;
  for (const EvidencePoint* point : where(points, epsilon, 0.1)) {
    const double rho = point->at("gd", "rho_at_threshold", 1), total = point->class_total();
    curve.x.push_back(total);
    curve.series[0].y.push_back(rho);
    curve.series[1].y.push_back(rho_gd<double>(total, probability_ratio(*point), 0.1).value);
    ratio.push_back(rho / (std::pow(0.1, -r) * std::pow(total, r - 1)));
  }
  Finding slope = judge::exponent("exponent of ϱ in K", curve.x, curve.series[0].y,
                                  {.published = r - 1, .tolerance = 0.01});
  slope.headline = true;
  report.findings.push_back(slope);
  report.findings.push_back(judge::bounded("ϱ / (ε^-r K^(r-1))", curve.x, ratio));
  report.curves = {curve};
}

}  // namespace

CheckRow one_step_gd() {
  return {
      .id = "wang2025/one-step-gd",
      .title = "one step of GD is imbalanced",
      .statement =
          "After one step of gradient descent that retrieves the best class with probability 1-ε, the "
          "worst class is retrieved with probability O(ε^{-r} K^{r-1}), r = min p / max p.",
      .source = "wang2025, Theorem 5.3",
      .hypotheses = {"orthonormal embeddings", "population gradient without label noise", "two levels of p"},
      .predicted = "ϱ = 1/(1 + (K-1)^{1-r} (ε/(1-ε))^r), exact at every K",
      .measured = "one step on the columns engine; ϱ by a search over step sizes",
      .rule = "measured and exact ϱ agree to 1e-12 at every K and ε; the exponent of ϱ in K is r-1",
      .experiments = {{.file = "wang2025/one-step-gd.toml"}},
      .judge = judge_one_step_gd};
}

}  // namespace rarefact::checks
