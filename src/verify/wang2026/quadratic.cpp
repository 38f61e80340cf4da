#include "verify/check.hpp"

namespace rarefact::checks::wang2026 {

namespace {

/// Σ_i n_i h_i^power x_i^2n.
double moment(const EvidencePoint& point, const SquareModes& modes, int power, double step) {
  const double eta = point.optimizer("gd").step_size;
  double sum = 0;
  for (std::size_t g = 0; g < modes.curvature.size(); ++g)
    sum += point.run().class_count[g] * std::pow(modes.curvature[g], power) *
           std::exp(2 * step * std::log1p(-eta * modes.curvature[g]));
  return sum;
}

void judge_quadratic(const Evidence& evidence, CheckReport& report) {
  const EvidencePoint& point = evidence[0].front();
  const SquareModes modes = modes_of(point);
  std::vector<double> gd = point.series("gd", "nds"), muon = point.series("muon", "nds"), exact;
  const double flat = moment(point, modes, 1, 0) / point.class_total(), fastest = modes.curvature.front(),
               eta = point.optimizer("gd").step_size;
  Points falling, level;
  double crossings = 0, crossing = 0;
  for (std::size_t t = 0; t < gd.size(); ++t) {
    const auto step = static_cast<double>(point.result.steps[t]);
    exact.push_back(moment(point, modes, 3, step) / moment(point, modes, 2, step));
    falling[eta * step * fastest] = gd[t] / fastest;
    level[eta * step * fastest] = muon[t] / fastest;
    if (t == 0 || (gd[t - 1] > muon[t - 1]) == (gd[t] > muon[t])) continue;
    crossings += 1;
    crossing = eta * step * fastest;
  }
  report.finding("gd").agree("nds of gd at every step against Σh³(1-ηh)^2n/Σh²(1-ηh)^2n", gd, exact, 1e-11);
  report.finding("muon").agree("nds of muon before any mode is done against Σh/N", muon, flat, 1e-12);
  report.headline("crossings")
      .equals("times that the sharpness of gd falls below that of muon", crossings, 1, 0);
  report.headline("crossing").equals("t of that in units of 1/max h", crossing, 4.65, 0.002);
  Largest remainder;
  for (const char* rule : {"gd", "muon"})
    for (const double x : point.series(rule, "taylor_remainder")) remainder.add(std::abs(x));
  report.finding("remainder").ours().at_most("largest Taylor remainder of any update", remainder, 0);
  report.curve("normalised directional sharpness of least squares, over max h", "ηn max h",
               {{"gd", falling}, {"muon", level}});
}

}  // namespace

CheckRow quadratic() {
  return {.id = "wang2026/quadratic",
          .hypotheses = {least_squares(true), identity(), population_without_noise(), complete(),
                         recorded_at_every_step()},
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_quadratic};
}

}  // namespace rarefact::checks::wang2026
