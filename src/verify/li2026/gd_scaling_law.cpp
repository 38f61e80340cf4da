#include <numbers>

#include "model/margin.hpp"
#include "verify/check.hpp"
#include "verify/li2026/scaling_laws.hpp"

namespace rarefact::checks::li2026 {

namespace {

using Kind = judge::ExponentClaim::Kind;

/// How far a local slope may be from -q inside the window where exponents are fitted: that of the integral, and
/// as much again for the ripple that the steps of the sum in i add to it.
constexpr double slope_tolerance = 0.01;

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
  /// A class climbs at full speed until u* = m*/π₁, so with N = (p_1 t/u*)^{1/s} groups at the optimum the summand
  /// has a bend at i = N, and the sum has a ripple of period 1 in N. By Euler and Maclaurin a sharp bend makes the
  /// local slope swing by (s-1)(2s-1)/(π s N) (first harmonic); a bend as wide as that of a logistic function of u
  /// with the rate π₁ (both have their poles π/π₁ off the real axis) has the factor y/sinh y, y = 2π² N/(s m*).
  double ripple(double done) const {
    const double y = 2 * std::numbers::pi * std::numbers::pi * done / (s * optimal_margin(total, noise));
    return (s - 1) * (2 * s - 1) / (std::numbers::pi * s * done) * y / std::sinh(y);
  }
  /// Groups that have reached the optimum where the fit begins.
  double least_done() const {
    double done = 1;
    while (ripple(done) > slope_tolerance) done *= 1.01;
    return done;
  }
  /// Steps between which the local slope of the integral is within slope_tolerance of -q, and so is the ripple.
  TimeWindow<double> window() const {
    const double rate = equivalent_rate(q, total, noise);
    const TimeWindow<double> a = group_sum_window<double>(s, groups, slope_tolerance);
    const double climb = optimal_margin(total, noise) / right_answer_probability(total, noise);
    return {std::max(a.low / rate, climb * std::pow(least_done(), s)) / per_step, a.high / rate / per_step};
  }
  /// Of the integral form inside the window: the sum's steps in i, by Euler and Maclaurin s² q (1+q)/(12 N²), and
  /// the recursion's in t for groups with η p ~ 1/T.
  double integral_tolerance(double first_step) const {
    return s * s * q * (1 + q) / (12 * least_done() * least_done()) + 2 / time(first_step);
  }
};

/// Exponent and constant at one point of the plan.
void judge_time(const EvidencePoint& point, CheckReport& report) {
  const Law law(point);
  const TimeWindow<double> window = law.window();
  const std::vector<double> series = point.series("gd", "excess_loss");
  Points measured, integral, single, published;
  Points inverse, fitted,
      exact;  // what is published, from the first step to the end of the window; inside it
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto step = static_cast<double>(point.result.steps[i]);
    if (step < 1) continue;
    measured[step] = series[i];
    integral[step] = law.excess(step);
    single[step] = law.published_form(step);
    published[step] = std::log(law.total) * std::pow(law.time(step), -law.q);
    if (step > window.high) continue;
    inverse[step] = published[step] / series[i];
    if (step < window.low) continue;
    fitted[step] = series[i];
    exact[step] = integral[step];
  }
  const double first = fitted.empty() ? 0 : fitted.begin()->first;
  const double last = fitted.empty() ? 0 : fitted.rbegin()->first;
  const bool wide = fitted.size() >= 8 && last >= 5 * first;
  report.assume(fmt::format("1 ≪ T ≪ M^s at {}", law.name()), wide,
                fmt::format("the exponent shows from T = {:.3g} to {:.3g}; recorded there: {} steps{}",
                            window.low, window.high, fitted.size(),
                            fitted.empty() ? "" : fmt::format(" from {:g} to {:g}", first, last)));
  if (!wide) return;
  report.finding("exponent-in-t", law.name())
      .exponent("exponent of L - L* in T", fitted,
                {.kind = Kind::at_least,
                 .published = -law.q,
                 .tolerance = slope_tolerance,
                 .sharp = -law.q,
                 .sharp_tolerance = slope_tolerance});
  // A fit through a ripple averages it: every local slope has to be near.
  report.finding("local-slopes", law.name())
      .agree("local slopes of L - L* in T against -(1-1/s)", judge::fit_of(fitted).local_slopes, -law.q,
             2 * slope_tolerance / law.q);
  report.finding("integral-form", law.name())
      .agree("L - L* against its integral form", values(fitted), values(exact),
             law.integral_tolerance(first));
  report.finding("order", law.name()).bounded("ln K T^-q / (L - L*)", inverse, slope_tolerance);
  report.curve("excess loss against T, " + law.name(), "T",
               {{"measured", measured},
                {"integral form", integral},
                {"single exponential", single},
                {"ln K T^-q", published}});
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
  Finding& finding = report.finding("class-bound")
                         .at_least("least (L_l - L_l*) e^{η p_l T} / ln K", least, start * (1 - 1e-12));
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
  report.headline("exponent-in-log-k")
      .exponent("exponent of L - L* in ln K - L*", measured,
                {.kind = Kind::at_least,
                 .published = 1,
                 .tolerance = 0,
                 .sharp = 1 + Law(points.back()).q,
                 .sharp_tolerance = 0.02});
  report.finding("order-in-log-k").bounded("ln K / (L - L*) at the last step, over K", ratio);
  report.curve("excess loss at the last step against that of the start", "ln K - L*",
               {{"measured", measured}, {"integral form", integral}, {"limit K → ∞", limit}});
}

void judge_gd_scaling(const Evidence& evidence, CheckReport& report) {
  for (const EvidencePoint& point : evidence[0]) judge_time(point, report);
  // The exponent in T of s = 2, or of the first one.
  const auto square = std::ranges::find_if(
      report.findings, [](const Finding& one) { return one.id.starts_with("exponent-in-t/s = 2,"); });
  if (square != report.findings.end()) {
    square->headline = true;
  } else if (!report.findings.empty()) {
    report.findings.front().headline = true;
  }
  for (const EvidencePoint& point : evidence[1]) judge_time(point, report);
  judge_class_count(evidence[2], report);
  judge_classes(evidence[1], report);
  const auto groups = [&](const std::string& variable) {
    const auto of = [&](const auto& point) { return point.series("gd", variable); };
    std::vector<double> all = collect(evidence[1], of), further = collect(evidence[2], of);
    all.insert(all.end(), further.begin(), further.end());
    return all;
  };
  report.finding("recursion")
      .agree("L - L* against the recursion, groups of classes", groups("excess_loss"),
             groups("excess_loss_predicted"), 1e-12);
  const Law law(evidence[0].front());
  report.note = fmt::format(
      "The integral form has the decay of a class under gradient flow, F(p t), instead of e^{{-a p}} ln "
      "K: the exponent in T is the published one, the constant that of F. A class first climbs to m* at "
      "constant speed and then approaches it at the rate 2 (K/(K-1)) π₁(1-π₁) = {:.3g} of its excess loss; a "
      "single exponential with the same constant would have the rate {:.3g} at K = {:.3g}, s = {:g}, the "
      "published bound has 1. So the loss owes (ln K)^{{2-1/s}} to the number of classes where the published "
      "bound has ln K. Outside of 1 ≪ T ≪ M^s the slope is another one and nothing is fitted.",
      2 * gd_stability_number<double>(1, 1, law.total, law.noise),
      equivalent_rate(law.q, law.total, law.noise), law.total, law.s);
}

}  // namespace

CheckRow gd_scaling_law() {
  const auto exponent = [](const auto& point) {
    return point.experiment.spectrum.parameters.number("exponent");
  };
  const auto unit = [](const auto& point) {
    return point.optimizer("gd").step_size * point.run().class_probability.front();
  };
  return {
      .id = "li2026/gd-scaling-law",
      .hypotheses = {needed(label_noise()),
                     needed(ranged("group masses ∝ i^-s, s > 1", exponent, "s from {:g} on",
                                   [](double least, double) { return least > 1; })),
                     ranged("η = 1/p_max", unit, "η p_max at most {1:.4g}; time is counted as η p_max T",
                            [](double, double most) { return most <= 1.01; }),
                     orthonormal(), equal_fan_in(), on(0, complete()), assumed("1 ≪ T ≪ M^s")},
      .further = {"li2026/gd-scaling-law-groups", "li2026/gd-scaling-law-classes"},
      .no_precise_runs =
          "the law needs thousands of groups, T ≪ M^s; in 50 digits only the symmetric engine runs, with a few",
      .judge = judge_gd_scaling};
}

}  // namespace rarefact::checks::li2026
