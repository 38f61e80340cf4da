#include "model/margin.hpp"
#include "theory/group_decay.hpp"
#include "theory/scaling_laws.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::li2026 {

namespace {

using Kind = judge::ExponentClaim::Kind;

/// How far a local slope may be from -q inside the window where exponents are fitted.
constexpr double slope_tolerance = 0.01;

/// Groups that have reached the optimum where the fit begins. A class climbs at full speed until u* = m*/π₁,
/// so the summand has a kink at i = N, N = (p_1 t/u*)^{1/s}: by Euler and Maclaurin the sum is off the
/// integral by up to s² q (1+q)/(12 N²) of it.
constexpr double least_done = 3;

/// Power law, noise and step size of a point as the theorem sees them.
struct Law {
  double s, q, groups, total, noise, first_mass, per_step;  // per_step = η p_1

  explicit Law(const EvidencePoint& point)
      : s(point.experiment.spectrum.parameters.number("exponent")),
        q(1 - 1 / s),
        groups(point.experiment.spectrum.parameters.number(
            point.experiment.spectrum.parameters.has("groups") ? "groups" : "count")),
        total(point.class_total()),
        noise(point.experiment.label_noise),
        first_mass(point.run().class_count.front() * point.run().class_probability.front()),
        per_step(point.optimizer("gd").step_size * point.run().class_probability.front()) {}

  std::string name() const { return fmt::format("s = {:g}, M = {:g}, K = {:.3g}", s, groups, total); }
  double time(double step) const { return per_step * step; }
  double excess(double step) const {
    return group_excess_integral(s, groups, first_mass, time(step), total, noise);
  }
  /// The published form, with a single exponential of rate c for the decay of a class.
  double published_form(double step) const {
    const double c = equivalent_rate(q, total, noise);
    return first_mass * flow_excess(total, noise, 0) * group_sum_integral<double>(s, groups, c * time(step));
  }
  /// Steps between which the local slope is within slope_tolerance of -q, and least_done groups are done.
  TimeWindow<double> window() const {
    const double rate = equivalent_rate(q, total, noise);
    const TimeWindow<double> a = group_sum_window<double>(s, groups, slope_tolerance);
    const double climb = optimal_margin(total, noise) / right_answer_probability(total, noise);
    return {std::max(a.low / rate, climb * std::pow(least_done, s)) / per_step, a.high / rate / per_step};
  }
  /// Of the integral form inside the window: the sum's steps in i, and the recursion's in t for groups with η
  /// p ~ 1/T.
  double integral_tolerance(double first_step) const {
    return s * s * q * (1 + q) / (12 * least_done * least_done) + 2 / time(first_step);
  }
};

/// Exponent and constant at one point of the plan.
void judge_time(const EvidencePoint& point, CheckReport& report) {
  const Law law(point);
  const TimeWindow<double> window = law.window();
  const std::vector<double> series = point.series("gd", "excess_loss");
  std::vector<double> steps, excess, exact;
  Curve curve{
      .title = "excess loss against T, " + law.name(),
      .x_label = "T",
      .series = {{"measured", {}}, {"integral form", {}}, {"single exponential", {}}, {"ln K T^-q", {}}}};
  Points inverse;  // what is published, from the first step to the end of the window
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto step = static_cast<double>(point.result.steps[i]);
    if (step < 1) continue;
    const double integral = law.excess(step);
    curve.x.push_back(step);
    curve.series[0].y.push_back(series[i]);
    curve.series[1].y.push_back(integral);
    curve.series[2].y.push_back(law.published_form(step));
    curve.series[3].y.push_back(std::log(law.total) * std::pow(law.time(step), -law.q));
    if (step > window.high) continue;
    inverse[step] = curve.series[3].y.back() / series[i];
    if (step < window.low) continue;
    steps.push_back(step);
    excess.push_back(series[i]);
    exact.push_back(integral);
  }
  const bool wide = steps.size() >= 8 && steps.back() >= 5 * steps.front();
  report.assume(
      fmt::format("1 ≪ T ≪ M^s at {}", law.name()), wide,
      fmt::format("the exponent shows from T = {:.3g} to {:.3g}; recorded there: {} steps{}", window.low,
                  window.high, steps.size(),
                  steps.empty() ? "" : fmt::format(" from {:g} to {:g}", steps.front(), steps.back())));
  if (!wide) return;
  report.add("exponent-in-t", law.name(),
             judge::exponent("exponent of L - L* in T", steps, excess,
                             {.kind = Kind::at_least,
                              .published = -law.q,
                              .tolerance = slope_tolerance,
                              .sharp = -law.q,
                              .sharp_tolerance = slope_tolerance}));
  report.add(
      "integral-form", law.name(),
      judge::agree("L - L* against its integral form", excess, exact, law.integral_tolerance(steps.front())));
  report.add("order", law.name(), judge::bounded("ln K T^-q / (L - L*)", inverse, slope_tolerance));
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
  Finding& finding = report.add(
      "class-bound", judge::at_least("least (L_l - L_l*) e^{η p_l T} / ln K", least, start * (1 - 1e-12)));
  finding.published = "bounded away from 0";
  finding.sharp = start;
  finding.rule = fmt::format("never below its value at T = 0, 1 - L*/ln K = {:.6g}", start);
  if (finding.verdict == Verdict::holds) finding.verdict = Verdict::sharp;
}

/// The loss at the last step against ln K.
void judge_class_count(const EvidencePoints& points, CheckReport& report) {
  Points measured, integral, limit, ratio;
  for (const EvidencePoint& point : points) {
    const Law law(point);
    const auto last = static_cast<double>(point.last_step());
    const double climb = flow_excess(law.total, law.noise, 0);
    measured[climb] = point.last("gd", "excess_loss");
    integral[climb] = law.excess(last);
    limit[climb] = law.first_mass / law.s * std::pow(law.time(last), -law.q) *
                   excess_moment_of_many_classes(law.q, law.total, law.noise);
    ratio[climb] = std::log(law.total) / measured[climb];
  }
  // ln K - L* = π₁ m* + ln(1-π₁) + O(1/K) is the length of the climb in units of the loss; what is left is
  // O(1/m*²) and the classes beyond the last group, a part (T M^-s/u*)^q.
  report.add("exponent-in-log-k",
             judge::exponent("exponent of L - L* in ln K - L*", measured,
                             {.kind = Kind::at_least,
                              .published = 1,
                              .tolerance = 0,
                              .sharp = 1 + Law(points.back()).q,
                              .sharp_tolerance = 0.02}),
             true);
  report.add("order-in-log-k", judge::bounded("ln K / (L - L*) at the last step, over K", ratio));
  report.curve("excess loss at the last step against that of the start", "ln K - L*",
               {{"measured", measured}, {"integral form", integral}, {"limit K → ∞", limit}});
}

void judge(const Evidence& evidence, CheckReport& report) {
  for (const EvidencePoint& point : evidence[0]) judge_time(point, report);
  // The exponent in T of s = 2, or of the first one.
  if (!report.findings.empty()) {
    Finding* shown = &report.findings.front();
    for (Finding& one : report.findings) {
      if (one.id.starts_with("exponent-in-t/s = 2,")) shown = &one;
    }
    shown->headline = true;
  }
  for (const EvidencePoint& point : evidence[1]) judge_time(point, report);
  judge_class_count(evidence[2], report);
  judge_classes(evidence[1], report);
  PointList groups = evidence.of(1);
  for (const EvidencePoint* point : evidence.of(2)) groups.push_back(point);
  report.add(
      "recursion",
      judge::agree(
          "L - L* against the recursion, groups of classes",
          collect(groups, [](const auto* point) { return point->series("gd", "excess_loss"); }),
          collect(groups,
                  [](const auto* point) { return point->predicted_series("gd", "excess_loss_predicted"); }),
          1e-12));
  const Law law(evidence[0].front());
  report.note = fmt::format(
      "The integral form has the decay of a class under gradient flow, F(p t), in the place of e^{{-a p}} ln "
      "K: the exponent in T is the published one, the constant that of F. A class first climbs to m* at "
      "constant speed and then approaches it at the rate 2 (K/(K-1)) π₁(1-π₁) = {:.3g} of its excess loss; a "
      "single exponential with the same constant would have the rate {:.3g} at K = {:.3g}, s = {:g}, the "
      "published bound has 1. So the loss owes (ln K)^{{2-1/s}} to the number of classes where the published "
      "bound has ln K. Outside of 1 ≪ T ≪ M^s the slope is another one and nothing is fitted.",
      2 * gd_stability_number<double>(1, 1, law.total, law.noise),
      equivalent_rate(law.q, law.total, law.noise), law.total, law.s);
}

HypothesisRow power_law() {
  return hypothesis::ranged(
      "group masses ∝ i^-s, s > 1",
      [](const EvidencePoint& point) { return point.experiment.spectrum.parameters.number("exponent"); },
      [](double least, double) {
        return hypothesis::Outcome{least > 1, fmt::format("s from {:g} on", least)};
      });
}

HypothesisRow unit_steps() {
  return hypothesis::ranged(
      "η = 1/p_max",
      [](const EvidencePoint& point) {
        return point.optimizer("gd").step_size * point.run().class_probability.front();
      },
      [](double, double most) {
        return hypothesis::Outcome{most <= 1.01,
                                   fmt::format("η p_max at most {:.4g}; time is counted as η p_max T", most)};
      });
}

}  // namespace

CheckRow gd_scaling_law() {
  return {
      .id = "li2026/gd-scaling-law",
      .hypotheses = {hypothesis::needed(hypothesis::label_noise()),
                     hypothesis::needed(power_law()),
                     unit_steps(),
                     hypothesis::orthonormal(),
                     hypothesis::on(0, hypothesis::complete()),
                     {"1 ≪ T ≪ M^s"}},
      .further = {"li2026/gd-scaling-law-groups", "li2026/gd-scaling-law-classes"},
      .no_precise_runs =
          "the law needs thousands of groups, T ≪ M^s; in 50 digits only the symmetric engine runs, with a few",
      .judge = judge};
}

}  // namespace rarefact::checks::li2026
