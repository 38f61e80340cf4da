#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "theory/power_fit.hpp"
#include "verify/check_row.hpp"
#include "verify/findings.hpp"
#include "verify/hypotheses.hpp"
#include "verify/judge.hpp"

namespace rarefact::checks {

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
                  bool weighted) {
  std::vector<double> loss = point.classes(optimizer, "class_loss", step);
  for (std::size_t i = 0; weighted && i < loss.size(); ++i) loss[i] *= point.run().class_probability[i];
  return ratio_of(loss);
}

/// The slope of ln L against `time` over the last third of the run. Where L is small, below 1e-6, ln L is a
/// straight line up to L itself.
LineFit<double> rate(const EvidencePoint& point, const std::string& optimizer, bool unit) {
  std::vector<double> time, logarithm;
  const std::int64_t last = point.result.steps.back();
  for (const std::int64_t step : point.result.steps) {
    const double loss = point.at(optimizer, "loss", step);
    if (3 * step < 2 * last || !(loss > 0 && loss < 1e-6)) continue;
    time.push_back(unit ? unit_time(point, step)
                        : point.optimizer(optimizer).step_size * static_cast<double>(step));
    logarithm.push_back(std::log(loss));
  }
  if (time.size() < 10) {
    LineFit<double> none{};
    none.slope = none.slope_low = none.slope_high = std::numeric_limits<double>::quiet_NaN();
    return none;
  }
  return fit_line(time, logarithm);
}

Finding rate_finding(const std::string& quantity, const LineFit<double>& fit, double sharp,
                     double tolerance) {
  Finding finding = judge::equals(quantity, fit.slope, sharp, tolerance);
  finding.low = fit.slope_low;
  finding.high = fit.slope_high;
  finding.published = "-1";
  return finding;
}

void judge_ngd_imbalance(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  const std::int64_t last = points.front().result.steps.back();
  double largest_step = 0, least_spread = std::numeric_limits<double>::infinity();
  for (const EvidencePoint& point : points) {
    largest_step = std::max(largest_step, unit_time(point, 1));
    const auto& p = point.run().class_probability;
    least_spread = std::min(least_spread, p.front() / p.back());
  }
  report.hypotheses = {hypothesis::orthonormal(points),
                       hypothesis::population_without_noise(points),
                       {"unequal classes, p_max > p_min", least_spread > 1,
                        fmt::format("p_max/p_min at least {:.4g}", least_spread)},
                       // ln(p_l L_l) leaves its mean by the factor 1 - η/√K a step.
                       {"η < 2 √K, where equal products are stable", largest_step < 2,
                        fmt::format("η/√K at most {:.4g}", largest_step)}};

  // Every class climbs to ln K before its loss falls, the most frequent ones first.
  double shortest = std::numeric_limits<double>::infinity();
  for (const EvidencePoint& point : points)
    shortest = std::min(shortest, unit_time(point, last) / std::log(point.class_total()));
  report.hypotheses.push_back(
      {"t is well above ln K at the end", shortest > 4, fmt::format("t / ln K at least {:.3g}", shortest)});

  std::vector<double> slope, exact_slope, products, imbalance, spread_of_p, muon;
  double slowest = 0;
  for (const EvidencePoint& point : points) {
    const double total = point.class_total();
    slope.push_back(rate(point, "ngd", true).slope);
    exact_slope.push_back(-std::sqrt(total / (total - 1)));
    products.push_back(loss_ratio(point, "ngd", last, true));
    imbalance.push_back(loss_ratio(point, "ngd", last, false));
    spread_of_p.push_back(ratio_of(point.run().class_probability));
    muon.push_back(loss_ratio(point, "muon", last, false));
    const double ratio = point.last("ngd", "loss") / point.last("gd", "loss");
    slowest = ratio <= slowest ? slowest : ratio;  // not-a-number stays
  }
  const EvidencePoint& large = points.back();
  const std::string at_large = fmt::format(", K = {:.3g}", large.class_total());
  Finding imbalanced =
      judge::equals("max L_l / min L_l of NGD" + at_large, imbalance.back(), spread_of_p.back(), 1e-9);
  imbalanced.published = "imbalanced";
  Finding speed =
      rate_finding("slope of ln L in t = (η/√K) x steps, NGD" + at_large, rate(large, "ngd", true), -1, 1e-6);
  imbalanced.headline = speed.headline = true;
  report.findings = {
      imbalanced, speed,
      judge::agree("slope of ln L, NGD, every K, against -(K/(K-1))^½", slope, exact_slope, 1e-6),
      judge::agree("max/min over classes of p_l L_l, NGD, every K, against 1", products,
                   std::vector<double>(products.size(), 1), 1e-9),
      judge::agree("max L_l / min L_l, NGD, every K, against p_max/p_min", imbalance, spread_of_p, 1e-9)};
  Finding faster = judge::at_most("L of NGD / L of GD at the last step, every K", slowest, 1e-3);
  faster.published = "faster than GD";
  report.findings.push_back(faster);
  // No entry of Muon's direction is further than (M+1)/C from the identity's, and m_t = t (1 + O(M/C)).
  const double groups = large.experiment.spectrum.parameters.number("groups");
  const double deviation = 2 * static_cast<double>(last) * (groups + 1) /
                           large.experiment.spectrum.parameters.number("group_size");
  report.findings.push_back(
      judge::equals("max L_l / min L_l of Muon" + at_large, muon.back(), 1, 1e-9 + deviation));
  report.findings.push_back(rate_finding("slope of ln L in t = η x steps, Muon" + at_large,
                                         rate(large, "muon", false), -1, 1e-6 + deviation));

  Curve curve{.title = "largest over smallest class loss against steps" + at_large,
              .x_label = "steps",
              .series = {{"NGD", {}}, {"Muon", {}}, {"GD", {}}, {"p_max/p_min", {}}}};
  for (const std::int64_t step : large.result.steps) {
    curve.x.push_back(static_cast<double>(step));
    curve.series[0].y.push_back(loss_ratio(large, "ngd", step, false));
    curve.series[1].y.push_back(loss_ratio(large, "muon", step, false));
    curve.series[2].y.push_back(loss_ratio(large, "gd", step, false));
    curve.series[3].y.push_back(spread_of_p.back());
  }
  report.curves = {curve};
  report.note =
      "NGD's rate is Muon's; what separates the two is the imbalance max L_l / min L_l = p_max/p_min that "
      "stays for ever.";
  undecide_where_unmet(report);
}

}  // namespace

CheckRow ngd_imbalance() {
  return {.id = "li2026/ngd-imbalance",
          .title = "normalised GD is fast but imbalanced",
          .statement =
              "Without label noise normalised gradient descent is faster than gradient descent, but unlike "
              "Muon it leaves rare "
              "classes behind.",
          .source = "li2026, normalised gradient descent beside Theorems 4.1 and 4.2",
          .hypotheses = {"orthonormal embeddings", "population gradient without label noise", "η < 2 √K"},
          .predicted =
              "p_l L_l become equal for all classes, so L_l ∝ 1/p_l; with t = (η/√K) x steps L falls as "
              "e^{-t (K/(K-1))^½}",
          .measured =
              "NGD with step √K, Muon with step 1 and GD with step K/4 over 16 groups of classes, K from 64 "
              "to 1e17",
          .rule =
              "max/min of p_l L_l is 1 and max/min of L_l is p_max/p_min to 1e-9 at the last step; slopes of "
              "ln L to 1e-6; Muon's "
              "class losses are equal",
          .experiments =
              {{.file = "li2026/ngd-imbalance.toml",
                .quick = {"classes.groups=4",
                          "sweep.classes.group_size, optimizer.ngd.step_size, optimizer.gd.step_size="
                          "[[16, 8, 16], [2.5e8, 31622.7766017, 2.5e8], [2.5e15, 1e8, 2.5e15]]"},
                .precise = {"classes.groups=2",
                            "sweep.classes.group_size, optimizer.ngd.step_size, optimizer.gd.step_size="
                            "[[32, 8, 32], [5e8, 31622.7766017, 5e8], [5e15, 1e8, 5e15]]"}}},
          .judge = judge_ngd_imbalance};
}

}  // namespace rarefact::checks
