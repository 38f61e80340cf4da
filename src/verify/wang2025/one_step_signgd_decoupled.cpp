#include "verify/check.hpp"

namespace rarefact::checks::wang2025 {

namespace {

void judge(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  const auto exact = [&](const EvidencePoint& point) {
    return in_precision(evidence, [&]<class Real>(Real) {
      return rho_signgd_decoupled<Real>(Real(point.experiment.rho_epsilon)).value;
    });
  };
  for (const std::string name : {"signgd", "adam"}) {
    const std::string of = name == "adam" ? "Adam's first step" : "";
    const auto deficit = [&](const EvidencePoint& point) { return 1 + point.at(name, "rho_deficit", 1); };
    Finding& rho = compare_rho(report, points, name, "ϱ against 1-ε", of, exact);
    rho.published = "ϱ = 1-ε";
    rho.headline = name == "signgd";
    report.add("worst-error", of,
               judge::agree("error of the worst class over ε", collect(points, deficit), 1, rho_rounding));
    Points shown;
    for (const EvidencePoint* point : where(points, mass_key, points.front().parameter(mass_key))) {
      if (point->experiment.rho_epsilon == 0.1) shown[point->class_total()] = deficit(*point);
    }
    report.curves.push_back(
        {.title = "(1-ϱ)/ε of " + name + " at ε = 0.1 against K",
         .x_label = "K",
         .x = keys(shown),
         .series = {{"measured", values(shown)}, {"exact", std::vector<double>(shown.size(), 1)}}});
  }
}

}  // namespace

CheckRow one_step_signgd_decoupled() {
  return {.id = "wang2025/one-step-signgd-decoupled",
          .hypotheses = {hypothesis::identity(), hypothesis::population_without_noise(),
                         hypothesis::two_levels()},
          .judge = judge};
}

}  // namespace rarefact::checks::wang2025
