#include "verify/check.hpp"

namespace rarefact::checks::wang2025 {

namespace {

void judge_decoupled(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  const auto exact = [&](const auto& point) {
    return evidence.exact(
        [&]<class Real>(Real) { return rho_signgd_decoupled<Real>(point.experiment.rho_epsilon).value; });
  };
  for (const std::string name : {"signgd", "adam"}) {
    const std::string of = name == "adam" ? "Adam's first step" : "";
    const auto deficit = [&](const auto& point) { return 1 + point.at(name, "rho_deficit", 1); };
    Finding& rho = compare_rho(report, points, name, "ϱ against 1-ε", of, exact);
    rho.published = "ϱ = 1-ε";
    rho.headline = name == "signgd";
    report.add("worst-error", of,
               judge::agree("error of the worst class over ε", collect(points, deficit), 1, rho_rounding));
    Points shown;
    for (const EvidencePoint* point : where(points, mass_key, points.front().parameter(mass_key))) {
      if (point->experiment.rho_epsilon == 0.1) shown[point->class_total()] = deficit(*point);
    }
    report.curve("(1-ϱ)/ε of " + name + " at ε = 0.1 against K", "K",
                 {{"measured", shown}, {"exact", constant(shown, 1)}});
  }
}

}  // namespace

CheckRow one_step_signgd_decoupled() {
  return {.id = "wang2025/one-step-signgd-decoupled",
          .hypotheses = {identity(), population_without_noise(), two_levels()},
          .judge = judge_decoupled};
}

}  // namespace rarefact::checks::wang2025
