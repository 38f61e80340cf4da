#include "verify/kim2026/capacity.hpp"

namespace rarefact::checks::kim2026 {

namespace {

/// The count against the number of facts N at the least and at the greatest d, and against d at the greatest
/// N: what the theorem hides in its logarithms.
void judge_fact_count(const PointList& points, CheckReport& report) {
  const Number count = recorded("muon", "recovered_count");
  const Number facts = [](const auto& point) { return point.class_total(); };
  const std::vector<double> dimensions = distinct(points, dimension_of), numbers = distinct(points, facts);
  std::vector<std::pair<std::string, Points>> curves;
  for (const double d : dimensions) {
    const judge::SeedCurves counts = seed_curves(points, facts, count, dimension_of, d);
    const std::string of = fmt::format("d = {:g}", d);
    curves.push_back({of + ", mean over seeds", judge::mean_over_seeds(counts)});
    if (d == dimensions.front() || d == dimensions.back())
      report.finding("in-facts", of)
          .evidence_of_exponent("exponent of muon's count in N", counts, 0, "0, up to logarithms");
  }
  report.curve("facts that muon recovers against N", "N", curves);
  const double a = exponent_of(*points.front()), most = numbers.back(), capacity = capacity_of_muon(a);
  report.headline("capacity-of-fixed-facts")
      .evidence_of_exponent(fmt::format("exponent of muon's count in d, a = {:g}, N = {:g} fixed", a, most),
                            seed_curves(points, dimension_of, count, facts, most), capacity,
                            claimed_text(capacity));
}

/// Counts of Newton's method over those of Muon, with the same embeddings.
void judge_ratio(const PointList& points, double a, const std::string& of, CheckReport& report) {
  const Number ratio = [](const auto& point) {
    return point.at("newton", "recovered_count", 1) / point.at("muon", "recovered_count", 1);
  };
  const judge::SeedCurves ratios = seed_curves(points, dimension_of, ratio, exponent_of, a);
  Finding mean = judge::seed_mean(
      fmt::format("newton's count over muon's, d = {:g}", ratios.begin()->second.rbegin()->first),
      collect(ratios, [](const auto& of_seed) { return of_seed.second.rbegin()->second; }));
  mean.published = "as many";
  report.finding("over-muon", of, a == 1.5).is(mean);
  report.finding("over-muon-exponent", of)
      .evidence_of_exponent("exponent of newton's count over muon's in d", ratios, 0, "0, up to logarithms");
}

void judge_muon(const Evidence& evidence, CheckReport& report) {
  const PointList points = list_of(evidence[0]);
  for (const auto& [a, muon] : judge_capacity(points, "muon", capacity_of_muon, "", report)) {
    const Finding gd = judge::evidence_of_exponent("", over_dimension(points, a, "gd", "recovered_count"),
                                                   capacity_of_gd(a), "");
    const std::string of = fmt::format("a = {:g}", a);
    report.finding("above-1", of).interval_above("exponent of muon's count above 1, by", muon, 1);
    report.finding("above-gd", of)
        .intervals_apart("exponent of muon's count above that of gd's, by", muon, gd);
  }
  judge_fact_count(list_of(evidence[1]), report);
}

void judge_sgd(const Evidence& evidence, CheckReport& report) {
  for (const auto& [a, gd] : judge_capacity(list_of(evidence[0]), "gd", capacity_of_gd, "derived", report))
    report.finding("below-1", fmt::format("a = {:g}", a))
        .interval_below("exponent of gd's count below 1, by", gd, 1);
}

void judge_newton(const Evidence& evidence, CheckReport& report) {
  const PointList points = list_of(evidence[0]);
  for (const auto& [a, newton] : judge_capacity(points, "newton", capacity_of_muon, "", report)) {
    const std::string of = fmt::format("a = {:g}", a);
    judge_ratio(points, a, of, report);
    report.finding("above-1", of).interval_above("exponent of newton's count above 1, by", newton, 1);
  }
}

}  // namespace

CheckRow one_step_muon() {
  return capacity_check({.id = "kim2026/one-step-muon",
                         .hypotheses = {population_without_noise()},
                         .further = {"kim2026/one-step-muon-facts"},
                         .judge = judge_muon});
}

CheckRow one_step_sgd() {
  return capacity_check(
      {.id = "kim2026/one-step-sgd", .hypotheses = {population_without_noise()}, .judge = judge_sgd});
}

CheckRow one_step_newton() {
  const auto damping = [](const auto& point) {
    const ParameterValues& parameters = point.optimizer("newton").parameters;
    return parameters.has("damping") ? parameters.number("damping") : 0;
  };
  return capacity_check({.id = "kim2026/one-step-newton",
                         .hypotheses = {population_without_noise(),
                                        ranged("no damping of the Hessian", damping, "damping up to {1:g}",
                                               [](double, double most) { return most == 0; })},
                         .judge = judge_newton});
}

}  // namespace rarefact::checks::kim2026
