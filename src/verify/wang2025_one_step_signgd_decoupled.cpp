#include "verify/check_row.hpp"
#include "verify/findings.hpp"
#include "verify/hypotheses.hpp"
#include "verify/judge.hpp"
#include "verify/one_step_evidence.hpp"

namespace rarefact::checks {

namespace {

/// Rounding moves the log-odds, at most ln K + ln(1/ε) = 45, by a few of their last places.
constexpr double rounding = 1e-12;

void judge_one_step_signgd_decoupled(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  report.hypotheses = {hypothesis::identity(points), hypothesis::population_without_noise(points),
                       hypothesis::two_levels(points)};
  for (const std::string name : {"signgd", "adam"}) {
    std::vector<double> infimum, threshold, exact, deficit;
    Curve curve{.title = "(1-ϱ)/ε of " + name + " at ε = 0.1 against K",
                .x_label = "K",
                .series = {{"measured", {}}, {"exact", {}}}};
    const double mass = points.front().parameter("classes.head_mass");
    for (const EvidencePoint& point : points) {
      infimum.push_back(point.at(name, "rho", 1));
      threshold.push_back(point.at(name, "rho_at_threshold", 1));
      deficit.push_back(1 + point.at(name, "rho_deficit", 1));
      exact.push_back(in_precision(evidence, [&](auto zero) {
        using Real = decltype(zero);
        return rho_signgd_decoupled<Real>(Real(point.experiment.rho_epsilon)).value;
      }));
      if (point.experiment.rho_epsilon != 0.1 || point.parameter("classes.head_mass") != mass) continue;
      curve.x.push_back(point.class_total());
      curve.series[0].y.push_back(deficit.back());
      curve.series[1].y.push_back(1);
    }
    const std::string of = name == "adam" ? ", Adam's first step" : "";
    report.findings.push_back(judge::agree("ϱ against 1-ε" + of, threshold, exact, rounding));
    report.findings.back().published = "ϱ = 1-ε";
    report.findings.back().headline = name == "signgd";
    report.findings.push_back(
        judge::agree("infimum against the value at the threshold" + of, infimum, threshold, 0));
    report.findings.push_back(judge::agree("error of the worst class over ε" + of, deficit,
                                           std::vector<double>(deficit.size(), 1.0), rounding));
    report.curves.push_back(curve);
  }
  undecide_where_unmet(report);
}

}  // namespace

CheckRow one_step_signgd_decoupled() {
  return {
      .id = "wang2025/one-step-signgd-decoupled",
      .title = "one step of SignGD, identity embeddings, is balanced",
      .statement =
          "With identity (support-decoupled) embeddings, one step of SignGD that retrieves the best class "
          "with probability 1-ε retrieves every class with probability 1-ε.",
      .source = "wang2025, Theorem 5.3",
      .hypotheses = {"identity embeddings", "population gradient without label noise", "two levels of p"},
      .predicted = "ϱ = 1-ε at every K: every class has the margin 2η",
      .measured =
          "one step on the columns engine, also of Adam with β₁ = β₂ = ε = 0; ϱ by a search over "
          "step sizes",
      .rule = "ϱ agrees with 1-ε, and the worst class's error with ε, to 1e-12 at every K, ε and imbalance",
      .experiments = {{.file = "wang2025/one-step-signgd-decoupled.toml",
                       .quick = {"sweep.classes.count=[30, 3e6, 3e15]", "sweep.classes.head_mass=[0.8, 0.1]",
                                 "sweep.run.rho_epsilon=[0.1, 1e-4]"}}},
      .judge = judge_one_step_signgd_decoupled};
}

}  // namespace rarefact::checks
