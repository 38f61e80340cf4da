#include "verify/multi_step_capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rarefact::checks {

namespace {

/// The least and the greatest η/√d are the same positive number.
Hypothesis root_step_sizes(const EvidencePoints& points) {
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (const EvidencePoint& point : points) {
    const double ratio = point.optimizer("muon").step_size / std::sqrt(dimension_of(point));
    least = std::min(least, ratio);
    greatest = std::max(greatest, ratio);
  }
  return {"η ∝ √d", greatest <= least * (1 + 1e-9),
          fmt::format("η/√d from {:.6g} to {:.6g}", least, greatest)};
}

/// A variable after the last step over that after the first one, at the largest d: the mean over seeds and
/// its interval.
Finding over_first(const EvidencePoints& points, double a, const std::string& variable,
                   const std::string& named, std::int64_t last) {
  const judge::SeedCurves first = over_dimension(points, a, "muon", variable, 1);
  const judge::SeedCurves end = over_dimension(points, a, "muon", variable, last);
  std::vector<double> ratios;
  for (const auto& [seed, curve] : end)
    ratios.push_back(curve.rbegin()->second / first.at(seed).rbegin()->second);
  const judge::SeedMean ratio = judge::seed_mean(ratios);
  return {.quantity = fmt::format("{} after step {} over that after step 1, d = {:g}", named, last,
                                  end.begin()->second.rbegin()->first),
          .measured = ratio.mean,
          .low = ratio.low,
          .high = ratio.high,
          .rule = fmt::format("mean of {} seeds, interval [{:.4g}, {:.4g}]", ratios.size(), ratio.low,
                              ratio.high),
          .verdict = Verdict::evidence};
}

/// Later steps recover more.
Finding more_than_at_first(const EvidencePoints& points, double a, std::int64_t last) {
  Finding ratio = over_first(points, a, "recovered_count", "count", last);
  ratio.rule += ", has to lie above 1";
  ratio.verdict = ratio.low > 1 ? Verdict::holds : Verdict::fails;
  return ratio;
}

/// What is claimed of the loss falls with every step; what is measured need not, as far from d → ∞.
Finding loss_over_first(const EvidencePoints& points, double a, std::int64_t last,
                        const std::string& status) {
  Finding ratio = over_first(points, a, "loss", "loss", last);
  ratio.published = status.empty() ? "falls" : status + ": falls";
  ratio.rule += ratio.low > 1    ? ": it rises"
                : ratio.high < 1 ? ": it falls"
                                 : ": neither falls nor rises for sure";
  ratio.headline = true;
  return ratio;
}

}  // namespace

void judge_multi_step_capacity(const Evidence& evidence, bool thresholded, const std::string& status,
                               CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  report.hypotheses = capacity_hypotheses(evidence);
  report.hypotheses.push_back(hypothesis::gradient(points, thresholded));
  report.hypotheses.push_back(root_step_sizes(points));
  const double a = exponent_of(points.front());
  const std::int64_t last = points.front().result.steps.back();
  for (std::int64_t t = 1; t <= last; ++t) {
    const double capacity = capacity_of_steps(a, t), decay = (1 - a) * capacity;
    const judge::SeedCurves counts = over_dimension(points, a, "muon", "recovered_count", t);
    const judge::SeedCurves losses = over_dimension(points, a, "muon", "loss", t);
    Finding count = judge::evidence_of_exponent(fmt::format("exponent of the count in d, step {}", t), counts,
                                                capacity, claimed_text(capacity, t == 1 ? "" : status));
    count.headline = true;
    if (t == 1)
      report.findings.push_back(
          judge::interval_above("exponent of the count in d after step 1 above 1, by", count, 1));
    report.findings.push_back(std::move(count));
    report.findings.push_back(judge::evidence_of_exponent(
        fmt::format("exponent of the loss in d, step {}", t), losses, decay,
        status.empty() ? "<= " + claimed_text(decay) : claimed_text(decay, status)));
    const Points facts = mean_over_seeds(counts), loss = mean_over_seeds(losses);
    const Points soft = mean_over_seeds(over_dimension(points, a, "muon", "soft_recovery", t));
    report.curves.push_back({.title = fmt::format("after step {}, against d", t),
                             .x_label = "d",
                             .x = keys(facts),
                             .series = {{"recovered facts, mean over seeds", values(facts)},
                                        {"loss, mean over seeds", values(loss)},
                                        {"soft recovery, mean over seeds", values(soft)}}});
  }
  report.findings.push_back(more_than_at_first(points, a, last));
  report.findings.push_back(loss_over_first(points, a, last, status));
  report.findings.push_back(possible_states(evidence));
  report.note = capacity_note;
  undecide_where_unmet(report);
}

std::vector<std::string> multi_step_hypotheses(const std::string& gradient) {
  return {gradient,
          "independent Gaussian embeddings",
          "the exact polar factor",
          "p_i ∝ i^-a, a > 1",
          "many more facts than dimensions",
          "population gradient without label noise",
          "η ∝ √d",
          "d → ∞, up to powers of ln d"};
}

}  // namespace rarefact::checks
