#include <map>

#include "theory/power_fit.hpp"
#include "theory/sign_walk.hpp"
#include "verify/check_row.hpp"
#include "verify/grouped_muon.hpp"
#include "verify/judge.hpp"
#include "verify/muon_evidence.hpp"

namespace rarefact::checks {

namespace {

/// Deviations of a run's updates from the identity, or from minus the identity past the optimum.
struct Deviations {
  double largest = 0;  ///< of the steps before the crossing
  double last = 0;     ///< at the last of them
  double past = 0;     ///< the largest distance of max |msgn - I| from 2 past the optimum
  std::size_t before = 0, after = 0, left_out = 0;  ///< numbers of steps
};

/// Which sign the residual has is known where the walk m ← m + η sign(m* - m) is farther from m* than the
/// margins can be from the walk, 2t(1/C + M/C). Steps nearer to it are left out: there classes of different
/// groups may stand on different sides of m*, and the update is +1 on some and -1 on others.
Deviations deviations_of(const EvidencePoint& point, const GroupedRun& run, double optimum) {
  Deviations deviations;
  for (const std::int64_t step : point.result.steps) {
    const double deviation = point.at("muon", "update_identity_deviation", step);
    const double climbed = run.step_size * static_cast<double>(step);
    const double distance = optimum - sign_walk<double>(run.step_size, optimum, step);
    if (!(std::abs(distance) > 2 * run.bound * std::min(climbed, optimum))) {
      ++deviations.left_out;
    } else if (climbed < optimum) {
      ++deviations.before;
      deviations.last = deviation;
      deviations.largest = deviation <= deviations.largest ? deviations.largest
                           : std::isnan(deviation)         ? INFINITY
                                                           : deviation;
    } else {
      ++deviations.after;
      const double off = distance > 0 ? deviation : std::abs(deviation - 2);
      deviations.past = off <= deviations.past ? deviations.past : std::isnan(off) ? INFINITY : off;
    }
  }
  return deviations;
}

/// The deviation of runs without noise over C, for one M: order and constant.
void judge_groups(const Evidence& evidence, double groups,
                  const std::map<double, const EvidencePoint*>& sizes, CheckReport& report) {
  if (sizes.size() < 3) return;
  std::vector<double> size, largest, scaled;
  Curve curve{.title = fmt::format("largest deviation of a run against C, M = {:g}, α = 0", groups),
              .x_label = "C",
              .series = {{"measured", {}}, {"first update, closed form", {}}, {"(1 + M)/C", {}}}};
  double constant = 0;
  for (const auto& [count, point] : sizes) {
    const GroupedRun run = grouped_run(*point, "muon");
    const Deviations deviations = deviations_of(*point, run, INFINITY);
    constant = deviation_constant(evidence, *point) / run.groups;
    size.push_back(count);
    largest.push_back(deviations.largest);
    scaled.push_back(deviations.last * count);
    curve.series[1].y.push_back(constant / count);
    curve.series[2].y.push_back(run.bound);
  }
  curve.x = size;
  curve.series[0].y = largest;
  // Rounding of entries near 1 is a part 1e-16 C/constant of the deviation.
  const double rounding = 2e-16 * size.back() / constant;
  Finding order =
      judge::exponent(fmt::format("exponent of the deviation in C, M = {:g}", groups), size, largest,
                      {.published = -1, .tolerance = 0.01, .sharp = -1.0, .sharp_tolerance = 0.002});
  order.headline = report.curves.empty();
  report.findings.push_back(order);
  report.findings.push_back(judge::bounded(fmt::format("C times the deviation at the end, M = {:g}", groups),
                                           size, scaled, 0.01, constant, 0.001 + rounding));
  report.curves.push_back(curve);
}

void judge_preconditioner(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  report.hypotheses = {hypothesis::orthonormal(points), population_gradients(points), equal_groups(points)};

  std::map<double, std::map<double, const EvidencePoint*>> noiseless;
  Points times_classes;
  double part = 0, share = 0, past = 0, first = 0;
  Deviations steps;
  for (const EvidencePoint& point : points) {
    const GroupedRun run = grouped_run(point, "muon");
    const double optimum = run.label_noise > 0 ? optimum_of(evidence, run) : INFINITY;
    const Deviations deviations = deviations_of(point, run, optimum);
    const double start = point.at("muon", "update_identity_deviation", 0);
    const double constant = deviation_constant(evidence, point);
    part = std::max(part, deviations.largest / run.bound);
    share = std::max(share, deviations.largest * run.group_size);
    past = std::max(past, deviations.past / run.bound);
    const double off = std::abs(start - constant / run.classes);
    first = off <= first ? first : std::isnan(off) ? INFINITY : off;
    steps.before += deviations.before;
    steps.after += deviations.after;
    steps.left_out += deviations.left_out;
    if (run.label_noise > 0) continue;
    noiseless[run.groups][run.group_size] = &point;
    times_classes[run.groups] = deviations.largest * run.classes;
  }

  Finding bound = judge::at_most("largest deviation before the optimum, as a part of 1/C + M/C", part, 1);
  bound.rule += fmt::format("; {} updates of {} runs", steps.before, points.size());
  bound.headline = true;
  report.findings.push_back(bound);
  for (const auto& [groups, sizes] : noiseless) judge_groups(evidence, groups, sizes, report);
  report.hypotheses.push_back(fitted(report, "exponent of the deviation in C"));
  // Entries near 1 are rounded to 1e-16, and so is the difference.
  report.findings.push_back(
      judge::equals("largest |deviation - closed form| of the first update", first, 0, 4e-15));
  Finding sharper = judge::at_most("largest C times the deviation before the optimum", share, 1);
  sharper.published = "<= 1 + M";
  report.findings.push_back(sharper);
  if (times_classes.size() >= 3) {
    std::vector<double> scaled, exact;
    for (const auto& [groups, one] : times_classes) {
      scaled.push_back(one / groups);
      exact.push_back(deviation_constant(evidence, *noiseless[groups].begin()->second) / groups);
    }
    report.findings.push_back(judge::exponent("exponent of C times the deviation in M", keys(times_classes),
                                              scaled,
                                              {.kind = judge::ExponentClaim::Kind::at_most,
                                               .published = 1,
                                               .tolerance = 0,
                                               .sharp = fit_power(keys(times_classes), exact).slope,
                                               .sharp_tolerance = 0.005}));
  }
  if (steps.after > 0) {
    Finding reversed =
        judge::at_most("largest deviation from ±I past the optimum, as a part of 1/C + M/C", past, 1);
    reversed.published = "";
    reversed.rule += fmt::format("; {} updates of runs with noise, -I where m > m*", steps.after);
    report.findings.push_back(reversed);
  }
  report.note = fmt::format(
      "At the first step the own entries of T are in [0, 1] and all others in [-1, 1], so the deviation is "
      "at "
      "most 1/C. {} updates are left out, whose classes may stand on both sides of m*: the statement's "
      "residual has one sign there no more. K times the deviation tends to a constant as M grows: {}.",
      steps.left_out, [&] {
        std::string text;
        for (const auto& [groups, one] : times_classes)
          text += fmt::format("{}{:.3f} at M = {:g}", text.empty() ? "" : ", ", one, groups);
        return text;
      }());
  undecide_where_unmet(report);
}

}  // namespace

CheckRow preconditioner() {
  return {
      .id = "li2026/preconditioner",
      .title = "Muon's update is the identity in the task basis",
      .statement =
          "For M groups of C classes the residual keeps the block form, and ‖msgn(P - P̂_t) - I‖_max <= 1/C + "
          "M/C along the run.",
      .source = "li2026, Proposition 6.1 and after",
      .hypotheses = {"orthonormal embeddings", "population gradients", "M groups of C equally likely classes",
                     "every class is below its optimal margin"},
      .predicted =
          "the first deviation is max |T - I|/C <= 1/C, T = msgn((I - uuᵀ) diag(p)), and later ones have the "
          "same constant for large C; past the optimum the update is minus the identity instead",
      .measured =
          "max |δ_kl + (ẼᵀDE)_kl| of every update D of 40 steps, M = 4, 16, 64, C = 10 to 1.6e13, α = 0 and "
          "0.1",
      .rule =
          "no update deviates by more than 1/C + M/C; the exponent in C is -1; C times the deviation is the "
          "first step's at the largest C",
      .experiments = {{.file = "li2026/preconditioner.toml",
                       .quick = {"sweep.classes.groups=[4, 16]",
                                 "sweep.classes.group_size=[100, 1e5, 1.6e13]"},
                       .precise = {"run.steps=16", "sweep.data.label_noise=[0]", "sweep.classes.groups=[4]",
                                   "sweep.classes.group_size=[100, 1e5, 1.6e13]"}}},
      .judge = judge_preconditioner};
}

}  // namespace rarefact::checks
