#include <numeric>

#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

/// R/R_0 of a seed at every recorded step.
Points course(const EvidencePoint& point, const std::string& variable) {
  const std::vector<double> loss = point.series("muon", variable);
  Points points;
  for (std::size_t i = 0; i < loss.size(); ++i)
    points[static_cast<double>(point.result.steps[i])] = loss[i] / loss.front();
  return points;
}

double mean_between(const Points& points, double from, double to) {
  const std::vector<double> some = values(between(points, from, to));
  return std::accumulate(some.begin(), some.end(), 0.0) / static_cast<double>(some.size());
}

void judge_dynamics(const Evidence& evidence, CheckReport& report) {
  judge::SeedCurves measured;
  for (const EvidencePoint& point : evidence[0])
    measured[point.experiment.seed] = course(point, "excess_loss");
  const Points predicted = course(evidence[0].front(), "excess_loss_predicted");
  for (const auto& [of, from, to] :
       {std::tuple{"step 20", 20.0, 20.0}, {"step 40", 40.0, 40.0}, {"steps 200 to 400", 200.0, 400.0}}) {
    const double exact = mean_between(predicted, from, to);
    const std::vector<double> ratios =
        collect(measured, [&](const auto& seed) { return mean_between(seed.second, from, to) / exact; });
    report.add("loss", of,
               judge::seed_mean_equals(fmt::format("R/R_0 over that of the formula, {:.3g}", exact), ratios,
                                       1, 0.12, 0.2),
               true);
  }
  report.curve("excess loss over that at the start", "step",
               {{"muon", judge::mean_over_seeds(measured)}, {"formula", predicted}});
}

}  // namespace

CheckRow dynamics() {
  return {.id = "paquette2026/dynamics",
          .hypotheses = bilinear_hypotheses(),
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_dynamics};
}

}  // namespace rarefact::checks::paquette2026
