#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/margin.hpp"
#include "theory/group_decay.hpp"
#include "theory/scaling_laws.hpp"
#include "verify/check_row.hpp"
#include "verify/findings.hpp"
#include "verify/gd_power_law.hpp"
#include "verify/hypotheses.hpp"
#include "verify/judge.hpp"

namespace rarefact::checks {

namespace {

std::string name_of(const Law& law) {
  return fmt::format("s = {:g}, M = {:g}, K = {:.3g}", law.s, law.groups, law.total);
}

/// Exponent and constant at one point of the plan.
void judge_time(const EvidencePoint& point, CheckReport& report) {
  const Law law(point);
  const TimeWindow<double> window = law.window();
  const Range range = range_of(point, law);
  report.hypotheses.push_back(
      {fmt::format("1 ≪ T ≪ M^s at {}", name_of(law)), range.wide(),
       fmt::format("the exponent shows from T = {:.3g} to {:.3g}; recorded there: {} steps{}", window.low,
                   window.high, range.step.size(),
                   range.step.empty()
                       ? ""
                       : fmt::format(" from {:g} to {:g}", range.step.front(), range.step.back()))});
  if (!range.wide()) return;
  using Kind = judge::ExponentClaim::Kind;
  report.findings.push_back(judge::exponent("exponent of L - L* in T, " + name_of(law), range.step,
                                            range.excess,
                                            {.kind = Kind::at_least,
                                             .published = -law.q,
                                             .tolerance = slope_tolerance,
                                             .sharp = -law.q,
                                             .sharp_tolerance = slope_tolerance}));
  report.findings.push_back(judge::agree("L - L* against its integral form, " + name_of(law), range.excess,
                                         range.exact, law.integral_tolerance(range.step.front())));
  Curve curve{
      .title = "excess loss against T, " + name_of(law),
      .x_label = "T",
      .series = {{"measured", {}}, {"integral form", {}}, {"single exponential", {}}, {"ln K T^-q", {}}}};
  for (std::size_t i = 0; i < point.result.steps.size(); ++i) {
    const auto step = static_cast<double>(point.result.steps[i]);
    if (step < 1) continue;
    curve.x.push_back(step);
    curve.series[0].y.push_back(point.series("gd", "excess_loss")[i]);
    curve.series[1].y.push_back(law.excess(step));
    curve.series[2].y.push_back(law.published_form(step));
    curve.series[3].y.push_back(std::log(law.total) * std::pow(law.time(step), -law.q));
  }
  // What is published, from the first step to the end of the window.
  std::vector<double> x, inverse;
  for (std::size_t i = 0; i < curve.x.size() && curve.x[i] <= window.high; ++i) {
    x.push_back(curve.x[i]);
    inverse.push_back(curve.series[3].y[i] / curve.series[0].y[i]);
  }
  report.findings.push_back(
      judge::bounded("ln K T^-q / (L - L*), " + name_of(law), x, inverse, slope_tolerance));
  report.curves.push_back(std::move(curve));
}

/// min over classes and steps of (L_l - L_l*) e^{η p_l T}/ln K, where the bound is above the rounding of L_l.
void judge_classes(const EvidencePoints& points, CheckReport& report) {
  double least = std::numeric_limits<double>::infinity(), start = least;
  for (const EvidencePoint& point : points) {
    const Law law(point);
    const double floor = irreducible_loss(law.total, law.noise), scale = std::log(law.total);
    start = std::min(start, (scale - floor) / scale);
    for (const std::int64_t step : point.result.steps) {
      const std::vector<double> loss = point.classes("gd", "class_loss", step);
      for (std::size_t i = 0; i < loss.size(); ++i) {
        const double u = point.run().class_probability[i] / point.run().class_probability.front() *
                         law.time(static_cast<double>(step));
        // e^-18 ln K is 1e-8 and more: a million times what rounding leaves of L_l - L_l*.
        const double part = (loss[i] - floor) * std::exp(u) / scale;
        if (u < 18 && !(part >= least)) least = part;  // not-a-number stays
      }
    }
  }
  Finding finding = judge::at_least("least (L_l - L_l*) e^{η p_l T} / ln K", least, start * (1 - 1e-12));
  finding.published = "bounded away from 0";
  finding.sharp = start;
  finding.rule = fmt::format("never below its value at T = 0, 1 - L*/ln K = {:.6g}", start);
  if (finding.verdict == Verdict::holds) finding.verdict = Verdict::sharp;
  report.findings.push_back(std::move(finding));
}

/// The loss at the last step against ln K.
void judge_class_count(const EvidencePoints& points, CheckReport& report) {
  Curve curve{.title = "excess loss at the last step against that of the start",
              .x_label = "ln K - L*",
              .series = {{"measured", {}}, {"integral form", {}}, {"limit K → ∞", {}}}};
  std::vector<double> ratio;
  double q = 0, noise = 0;
  for (const EvidencePoint& point : points) {
    const Law law(point);
    const auto last = static_cast<double>(point.result.steps.back());
    q = law.q;
    noise = law.noise;
    curve.x.push_back(flow_excess(law.total, law.noise, 0));
    curve.series[0].y.push_back(point.last("gd", "excess_loss"));
    curve.series[1].y.push_back(law.excess(last));
    curve.series[2].y.push_back(law.first_mass / law.s * std::pow(law.time(last), -q) *
                                excess_moment_of_many_classes(q, law.total, noise));
    ratio.push_back(std::log(law.total) / curve.series[0].y.back());
  }
  using Kind = judge::ExponentClaim::Kind;
  // ln K - L* = π₁ m* + ln(1-π₁) + O(1/K) is the length of the climb in units of the loss; what is left is
  // O(1/m*²)
  // and the classes beyond the last group, a part (T M^-s/u*)^q.
  Finding slope = judge::exponent(
      "exponent of L - L* in ln K - L*", curve.x, curve.series[0].y,
      {.kind = Kind::at_least, .published = 1, .tolerance = 0, .sharp = 1 + q, .sharp_tolerance = 0.02});
  slope.headline = true;
  report.findings.push_back(std::move(slope));
  report.findings.push_back(judge::bounded("ln K / (L - L*) at the last step, over K", curve.x, ratio));
  report.curves.push_back(std::move(curve));
}

/// Without these two there is no law to speak of.
std::vector<Hypothesis> noisy_power_law(const Evidence& evidence) {
  double noise = 1, exponent = std::numeric_limits<double>::infinity(), step = 0;
  for (const EvidencePoints& points : evidence.experiments) {
    for (const EvidencePoint& point : points) {
      noise = std::min(noise, point.experiment.label_noise);
      exponent = std::min(exponent, point.experiment.spectrum.parameters.number("exponent"));
      step = std::max(step, point.optimizer("gd").step_size * point.run().class_probability.front());
    }
  }
  return {{"label noise", noise > 0, fmt::format("α from {:g} on", noise)},
          {"group masses ∝ i^-s, s > 1", exponent > 1, fmt::format("s from {:g} on", exponent)},
          {"η = 1/p_max", step <= 1.01,
           fmt::format("η p_max at most {:.4g}; time is counted as η p_max T", step)}};
}

void judge_gd_scaling_law(const Evidence& evidence, CheckReport& report) {
  report.hypotheses = noisy_power_law(evidence);
  if (!report.hypotheses[0].met || !report.hypotheses[1].met) return;
  report.hypotheses.push_back(hypothesis::orthonormal(evidence[0]));
  report.hypotheses.push_back(hypothesis::complete(evidence[0]));
  std::vector<double> measured, recursion;
  for (const EvidencePoints* points : {&evidence[1], &evidence[2]}) {
    for (const EvidencePoint& point : *points) {
      for (const double one : point.series("gd", "excess_loss")) measured.push_back(one);
      for (const double one : predicted_series(point, "gd", "excess_loss_predicted"))
        recursion.push_back(one);
    }
  }
  for (const EvidencePoint& point : evidence[0]) judge_time(point, report);
  // The exponent in T of s = 2, or of the only one.
  if (!report.findings.empty()) {
    const auto middle = std::find_if(report.findings.begin(), report.findings.end(), [](const Finding& one) {
      return one.quantity.starts_with("exponent of L - L* in T, s = 2,");
    });
    (middle == report.findings.end() ? report.findings.front() : *middle).headline = true;
  }
  for (const EvidencePoint& point : evidence[1]) judge_time(point, report);
  judge_class_count(evidence[2], report);
  judge_classes(evidence[1], report);
  report.findings.push_back(
      judge::agree("L - L* against the recursion, groups of classes", measured, recursion, 1e-12));
  const Law law(evidence[0].front());
  report.note = fmt::format(
      "The integral form has the decay of a class under gradient flow, F(p t), in the place of e^{{-a p}} ln "
      "K: the exponent in T is the "
      "published one, the constant that of F. A class first climbs to m* at constant speed and then "
      "approaches it at the rate "
      "2 (K/(K-1)) π₁(1-π₁) = {:.3g} of its excess loss; a single exponential with the same constant would "
      "have the rate {:.3g} at K = {:.3g}, "
      "s = {:g}, the published bound has 1. So the loss owes (ln K)^{{2-1/s}} to the number of classes where "
      "the published bound has ln K. "
      "Outside of 1 ≪ T ≪ M^s the slope is another one and nothing is fitted.",
      2 * gd_stability_number<double>(1, 1, law.total, law.noise),
      equivalent_rate(law.q, law.total, law.noise), law.total, law.s);
  undecide_where_unmet(report);
}

}  // namespace

CheckRow gd_scaling_law() {
  return {
      .id = "li2026/gd-scaling-law",
      .title = "scaling law of GD with label noise",
      .statement =
          "With label noise and group masses ∝ i^-s, s > 1, gradient descent obeys L_l - L_l* ≳ e^{-η p_l T} "
          "ln K, and "
          "so L(T) - L* ≳ ln K / T^{1-1/s}.",
      .source = "li2026, Theorem 5.7",
      .hypotheses = {"orthonormal embeddings", "population gradient with label noise",
                     "group masses ∝ i^-s, s > 1", "η = 1/p_max", "1 ≪ T ≪ M^s"},
      .predicted =
          "L(T) - L* = (p̃_1/s) T^{-q} ∫ u^{q-1} F(u) du over T M^-s < u < T, q = 1-1/s, F(p t) the excess "
          "loss of a class "
          "under gradient flow; ∝ m*^{1+q} as K → ∞",
      .measured =
          "excess loss of K = 1e15 distinct classes (quadrature), of M = 4000 groups, and for K up to 1e250",
      .rule =
          "in the window where the integral form has local slopes within 0.01 of -q the fitted exponent is "
          "-q to 0.01 and the loss "
          "agrees with the integral form; ln K T^-q/(L - L*) is bounded in T and in K; the bound of every "
          "class holds with "
          "the constant 1 - L*/ln K",
      .experiments =
          {{.file = "li2026/gd-scaling-law.toml",
            .quick = {"sweep.classes.exponent, optimizer.gd.step_size=[[2, 1.644934066848226]]",
                      "run.steps=3000"}},
           {.file = "li2026/gd-scaling-law-groups.toml",
            .quick = {"sweep.classes.exponent, classes.group_size, optimizer.gd.step_size="
                      "[[2, 10, 16.446840980956225]]",
                      "classes.groups=2000", "run.steps=1000"}},
           {.file = "li2026/gd-scaling-law-classes.toml",
            .quick = {"classes.groups=400", "run.steps=3000",
                      "sweep.classes.group_size, optimizer.gd.step_size=[[1e12, 1.64e12], [1e37, 1.64e37], "
                      "[1e97, 1.64e97]]"}}},
      .no_precise_runs =
          "the law needs thousands of groups, T ≪ M^s; in 50 digits only the symmetric engine runs, with a "
          "few",
      .judge = judge_gd_scaling_law};
}

}  // namespace rarefact::checks
