#include "theory/power_fit.hpp"
#include "verify/li2026/muon_runs.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// η/√K x steps: normalised gradient descent with equal p_l L_l moves every margin by (K/(K-1))^½ per unit of
/// it.
double unit_time(const EvidencePoint& point, std::int64_t step) {
  return point.optimizer("ngd").step_size / std::sqrt(point.class_total()) * static_cast<double>(step);
}

double ratio_of(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most / *least;
}

/// max/min over classes of L_l, or of p_l L_l.
double loss_ratio(const EvidencePoint& point, const std::string& optimizer, std::int64_t step,
                  bool weighted = false) {
  std::vector<double> loss = point.classes(optimizer, "class_loss", step);
  for (std::size_t i = 0; weighted && i < loss.size(); ++i) loss[i] *= point.run().class_probability[i];
  return ratio_of(loss);
}

/// The slope of ln L against `time` over the last third of the run. Where L is small, below 1e-6, ln L is a
/// straight line up to L itself.
LineFit rate(const EvidencePoint& point, const std::string& optimizer, bool unit) {
  std::vector<double> time, logarithm;
  for (const std::int64_t step : point.result.steps) {
    const double loss = point.at(optimizer, "loss", step);
    if (3 * step < 2 * point.last_step() || !(loss > 0 && loss < 1e-6)) continue;
    time.push_back(unit ? unit_time(point, step)
                        : point.optimizer(optimizer).step_size * static_cast<double>(step));
    logarithm.push_back(std::log(loss));
  }
  return time.size() >= 10 ? fit_line(time, logarithm) : LineFit{NAN, NAN, NAN};
}

Finding judge_rate(const std::string& quantity, const LineFit& fit, double tolerance) {
  Finding finding = judge::equals(quantity, fit.slope, -1, tolerance);
  finding.low = fit.slope_low;
  finding.high = fit.slope_high;
  finding.published = "-1";
  return finding;
}

void judge_imbalance(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  const std::int64_t last = points.front().last_step();
  const auto of_all = [&](auto number) { return collect(points, number); };
  const std::vector<double> imbalance =
      of_all([&](const auto& point) { return loss_ratio(point, "ngd", last); });
  const std::vector<double> spread_of_p =
      of_all([](const auto& point) { return ratio_of(point.run().class_probability); });

  const EvidencePoint& large = points.back();
  const std::string of = fmt::format("K = {:.3g}", large.class_total());
  report.headline("imbalance", of)
      .equals("max L_l / min L_l of NGD", imbalance.back(), spread_of_p.back(), 1e-9)
      .published = "imbalanced";
  report.headline("rate", of)
      .is(judge_rate("slope of ln L in t = (η/√K) x steps, NGD", rate(large, "ngd", true), 1e-6));
  report.finding("every-rate")
      .agree("slope of ln L, NGD, every K, against -(K/(K-1))^½",
             of_all([](const auto& point) { return rate(point, "ngd", true).slope; }),
             of_all([](const auto& point) {
               return -std::sqrt(point.class_total() / (point.class_total() - 1));
             }),
             1e-6);
  report.finding("products")
      .agree("max/min over classes of p_l L_l, NGD, every K, against 1",
             of_all([&](const auto& point) { return loss_ratio(point, "ngd", last, true); }), 1, 1e-9);
  report.finding("every-imbalance")
      .agree("max L_l / min L_l, NGD, every K, against p_max/p_min", imbalance, spread_of_p, 1e-9);
  Largest slowest;
  for (const EvidencePoint& point : points) slowest.add(point.last("ngd", "loss") / point.last("gd", "loss"));
  // What they are faster and less balanced than has to be what it is called.
  report.finding("gd").agree("loss and class losses of GD against its recursion",
                             losses_beside_predicted(points, "gd"), 1e-12);
  report.finding("faster").at_most("L of NGD / L of GD at the last step, every K", slowest, 1e-3).published =
      "faster than GD";
  // No entry of Muon's direction is further than 1/C + M/C from the identity's, so every margin, a difference of
  // two entries, is within twice that of t.
  Largest uneven;
  for (const EvidencePoint& point : points) {
    const MuonRun run = muon_run(point);
    uneven.add(std::log(loss_ratio(point, "muon", last)) / (4 * run.bound * run.end() + logit_rounding));
  }
  report.finding("muon-every-balance")
      .at_most("ln(max L_l / min L_l) of Muon, every K, as a part of 4t(1/C + M/C)", uneven, 1);
  const double deviation = 2 * static_cast<double>(last) * muon_run(large).bound;
  report.finding("muon-balance", of)
      .equals("max L_l / min L_l of Muon", loss_ratio(large, "muon", last), 1, 1e-9 + deviation);
  report.finding("muon-rate", of)
      .is(judge_rate("slope of ln L in t = η x steps, Muon", rate(large, "muon", false), 1e-6 + deviation));

  const auto over_steps = [&](const std::string& optimizer) {
    return over(
        large.result.steps, [](std::int64_t step) { return static_cast<double>(step); },
        [&](std::int64_t step) { return loss_ratio(large, optimizer, step); });
  };
  const Points of_ngd = over_steps("ngd");
  report.curve("largest over smallest class loss against steps, " + of, "steps",
               {{"NGD", of_ngd},
                {"Muon", over_steps("muon")},
                {"GD", over_steps("gd")},
                {"p_max/p_min", constant(of_ngd, spread_of_p.back())}});
}

}  // namespace

CheckRow ngd_imbalance() {
  const auto unequal = [](const auto& point) { return ratio_of(point.run().class_probability); };
  const auto step = [](const auto& point) { return unit_time(point, 1); };
  const auto step_of_gd = [](const auto& point) {
    return point.optimizer("gd").step_size * std::ranges::max(point.run().class_probability);
  };
  const auto end = [](const auto& point) {
    return unit_time(point, point.last_step()) / std::log(point.class_total());
  };
  return {
      .id = "li2026/ngd-imbalance",
      .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in(),
                     ranged("unequal classes, p_max > p_min", unequal, "p_max/p_min at least {:.4g}",
                            [](double least, double) { return least > 1; }),
                     // ln(p_l L_l) leaves its mean by the factor 1 - η/√K a step.
                     ranged("η < 2 √K, where equal products are stable", step, "η/√K at most {1:.4g}",
                            [](double, double most) { return most < 2; }),
                     // The order up to which it is stable with label noise, too: no slower than it may be.
                     ranged("GD with η p_max of the order of 1", step_of_gd, "η p_max from {:.3g} to {:.3g}",
                            [](double least, double most) { return least > 0.25 && most < 4; }),
                     // Every class climbs to ln K before its loss falls, the most frequent ones first.
                     ranged("t is well above ln K at the end", end, "t / ln K at least {:.3g}",
                            [](double least, double) { return least > 4; })},
      .judge = judge_imbalance};
}

}  // namespace rarefact::checks::li2026
