#include "verify/kim2026/capacity.hpp"

namespace rarefact::checks::kim2026 {

namespace {

/// A variable after the last step over that after the first one, at the largest d: the mean of the ratio's logarithm.
Finding over_first(const PointList& points, double a, const std::string& variable, const std::string& named,
                   std::int64_t last) {
  const judge::SeedCurves first = over_dimension(points, a, "muon", variable, 1);
  const judge::SeedCurves end = over_dimension(points, a, "muon", variable, last);
  std::vector<double> ratios;
  for (const auto& [seed, curve] : end)
    ratios.push_back(std::log(curve.rbegin()->second / first.at(seed).rbegin()->second));
  Finding ratio = judge::seed_mean(fmt::format("{} after step {} over that after step 1, d = {:g}", named,
                                               last, end.begin()->second.rbegin()->first),
                                   ratios);
  for (double* one : {&ratio.measured, &*ratio.low, &*ratio.high}) *one = std::exp(*one);
  ratio.rule += fmt::format(", geometric, interval [{:.4g}, {:.4g}]", *ratio.low, *ratio.high);
  return ratio;
}

/// Exponents in d of counts and losses after every step, as evidence beside 2 - (1 - 1/(2a))^t and 1 - a times
/// that; `status` of the claims as in claimed_text.
void judge_steps(const Evidence& evidence, const std::string& status, CheckReport& report) {
  const PointList points = list_of(evidence[0]);
  const double a = exponent_of(*points.front());
  const std::int64_t last = points.front()->last_step();
  for (std::int64_t t = 1; t <= last; ++t) {
    const double capacity = 2 - std::pow(1 - capacity_of_gd(a), static_cast<double>(t)),
                 decay = (1 - a) * capacity;
    const judge::SeedCurves counts = over_dimension(points, a, "muon", "recovered_count", t);
    const judge::SeedCurves losses = over_dimension(points, a, "muon", "loss", t);
    const std::string of = fmt::format("step {}", t);
    Finding count = judge::evidence_of_exponent("exponent of the count in d", counts, capacity,
                                                claimed_text(capacity, t == 1 ? "" : status));
    if (t == 1)
      report.finding("capacity-above-1")
          .interval_above("exponent of the count in d after step 1 above 1, by", count, 1);
    report.headline("capacity", of).is(count);
    report.finding("loss", of)
        .evidence_of_exponent("exponent of the loss in d", losses, decay,
                              status.empty() ? "<= " + claimed_text(decay) : claimed_text(decay, status));
    report.curve(fmt::format("after step {}, against d", t), "d",
                 {{"recovered facts, mean over seeds", judge::mean_over_seeds(counts)},
                  {"loss, mean over seeds", judge::mean_over_seeds(losses)},
                  {"soft recovery, mean over seeds",
                   judge::mean_over_seeds(over_dimension(points, a, "muon", "soft_recovery", t))}});
  }
  // Later steps recover more.
  Finding& more =
      report.finding("more-than-at-first").is(over_first(points, a, "recovered_count", "count", last));
  more.rule += ", has to lie above 1";
  more.verdict = more.low > 1 ? Verdict::holds : Verdict::fails;
  // What is claimed of the loss falls with every step; what is measured need not, as far from d → ∞.
  Finding& loss = report.headline("loss-over-first").is(over_first(points, a, "loss", "loss", last));
  loss.published = status.empty() ? "falls" : status + ": falls";
  loss.rule += loss.low > 1    ? ": it rises"
               : loss.high < 1 ? ": it falls"
                               : ": neither falls nor rises for sure";
  if (loss.low > 1) loss.verdict = Verdict::against;
}

/// Several steps of Muon, of `status` as in claimed_text.
CheckRow several_steps(const std::string& id, bool thresholded, const std::string& status,
                       const std::string& note) {
  CheckRow row{.id = id, .thresholded = thresholded};
  row.hypotheses = {population_without_noise(),
                    // The least and the greatest η/√d are the same positive number.
                    ranged(
                        "η ∝ √d",
                        [](const auto& point) {
                          return point.optimizer("muon").step_size / std::sqrt(dimension_of(point));
                        },
                        "η/√d from {:.6g} to {:.6g}",
                        [](double least, double greatest) { return greatest <= least * (1 + 1e-9); })};
  row.judge = [=](const Evidence& evidence, CheckReport& report) {
    judge_steps(evidence, status, report);
    report.note = note;
  };
  return capacity_check(row);
}

}  // namespace

CheckRow multi_step_thresholded() {
  return several_steps("kim2026/multi-step-thresholded", true, "", "");
}

CheckRow multi_step_exact() {
  return several_steps(
      "kim2026/multi-step-exact", false, "open",
      "Open: the paper conjectures this and does not prove it; the numbers here are evidence and "
      "decide nothing. ");
}

}  // namespace rarefact::checks::kim2026
