#include "verify/kim2026/capacity.hpp"

namespace rarefact::checks::kim2026 {

namespace {

double facts_of(const EvidencePoint& point) {
  return point.class_total();
}

/// The count against the number of facts N at the least and at the greatest d, and against d at the greatest
/// N: what the theorem hides in its logarithms.
void judge_fact_count(const PointList& points, CheckReport& report) {
  const Number count = recorded("muon", "recovered_count");
  const std::vector<double> dimensions = distinct(points, dimension_of), numbers = distinct(points, facts_of);
  Curve curve{.title = "facts that muon recovers against N", .x_label = "N"};
  for (const double d : dimensions) {
    const judge::SeedCurves counts = seed_curves(points, facts_of, count, dimension_of, d);
    const Points mean = mean_over_seeds(counts);
    const std::string of = fmt::format("d = {:g}", d);
    curve.x = keys(mean);
    curve.series.push_back({of + ", mean over seeds", values(mean)});
    if (d == dimensions.front() || d == dimensions.back())
      report.add(
          "in-facts", of,
          judge::evidence_of_exponent("exponent of muon's count in N", counts, 0, "0, up to logarithms"));
  }
  report.curves.push_back(std::move(curve));
  const double a = exponent_of(*points.front()), most = numbers.back(), capacity = capacity_of_muon(a);
  report.add("capacity-of-fixed-facts",
             judge::evidence_of_exponent(
                 fmt::format("exponent of muon's count in d, a = {:g}, N = {:g} fixed", a, most),
                 seed_curves(points, dimension_of, count, facts_of, most), capacity, claimed_text(capacity)),
             true);
}

void judge(const Evidence& evidence, CheckReport& report) {
  for (const auto& [a, muon] : judge_capacity(evidence.of(0), "muon", capacity_of_muon, "", report)) {
    const Finding gd = judge::evidence_of_exponent(
        "", seed_curves(evidence.of(0), dimension_of, recorded("gd", "recovered_count"), exponent_of, a),
        capacity_of_gd(a), "");
    const std::string of = fmt::format("a = {:g}", a);
    report.add("above-1", of, judge::interval_above("exponent of muon's count above 1, by", muon, 1));
    report.add("above-gd", of,
               judge::intervals_apart("exponent of muon's count above that of gd's, by", muon, gd));
  }
  judge_fact_count(evidence.of(1), report);
  judge_states(evidence, report);
  report.note = capacity_note;
}

}  // namespace

CheckRow one_step_muon() {
  return {.id = "kim2026/one-step-muon",
          .hypotheses = capacity_hypotheses({hypothesis::population_without_noise()}),
          .further = {"kim2026/one-step-muon-facts"},
          .no_precise_runs = no_precise_capacity,
          .judge = judge};
}

}  // namespace rarefact::checks::kim2026
