#include "verify/squares.hpp"

namespace rarefact::checks::vasudeva2025 {

namespace {

void judge_equal_rates(const Evidence& evidence, CheckReport& report) {
  std::vector<double> muon, time, loss, alike, gd, flow;
  for (const EvidencePoint& point : evidence[0]) {
    const SquareModes modes = modes_of(point);
    const LeastSquares& data = point.experiment.squares;
    const double n = static_cast<double>(point.last_step()), t = n * point.optimizer("muon").step_size;
    const double noise = std::pow(data.query_noise, 2) * point.class_total();
    const std::vector<double> reached = point.classes("muon", "coefficient", point.last_step()),
                              losses = point.classes("muon", "class_loss", point.last_step()),
                              slow = point.classes("gd", "coefficient", point.last_step());
    for (std::size_t g = 0; g < reached.size(); ++g) {
      muon.push_back(reached[g]);
      time.push_back(t);
      loss.push_back(losses[g]);
      alike.push_back((std::pow(1 - data.query_scale * t, 2) + noise * t * t) / 2);
      const double h = modes.curvature[g], eta = point.optimizer("gd").step_size;
      gd.push_back(slow[g] / modes.coefficient[g]);
      flow.push_back(-std::expm1(n * std::log1p(-eta * h)));
    }
  }
  report.add("muon", judge::agree("coefficient of every class under muon against t", muon, time, 1e-12),
             true);
  report.add("loss",
             judge::agree("loss of every class under muon against ½((1-μt)² + σ²Kt²)", loss, alike, 1e-12));
  report.add("gd", judge::agree("coefficient over a under gd against 1 - (1 - ηh)^n", gd, flow, 1e-12), true);
}

}  // namespace

CheckRow equal_rates() {
  return {.id = "vasudeva2025/equal-rates",
          .hypotheses = {least_squares(false), hypothesis::identity(), hypothesis::population_without_noise(),
                         hypothesis::complete()},
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_equal_rates};
}

}  // namespace rarefact::checks::vasudeva2025
