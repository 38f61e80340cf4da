#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "verify/capacity_evidence.hpp"

namespace rarefact::checks {

namespace {

double batch_of(const EvidencePoint& point) {
  return point.experiment.data_parameters.has("batch") ? point.experiment.data_parameters.number("batch") : 0;
}

/// Counts over B at one d.
judge::SeedCurves over_batch(const EvidencePoints& points, const std::string& optimizer, double dimension) {
  return seed_curves(
      points, batch_of, [&](const EvidencePoint& point) { return point.at(optimizer, "recovered_count", 1); },
      [&](const EvidencePoint& point) { return dimension_of(point) == dimension; });
}

/// Where a curve first comes to half of its last value, between two batches by a power law; the least batch
/// where it is there already.
double half_batch(const Points& curve) {
  const double half = curve.rbegin()->second / 2;
  auto before = curve.begin();
  if (before->second >= half) return before->first;
  for (auto at = std::next(before); at != curve.end(); before = at++) {
    if (at->second < half) continue;
    const double part = std::log(half / before->second) / std::log(at->second / before->second);
    return before->first * std::pow(at->first / before->first, part);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// The part of every seed's curve below the batch where the mean has come to its last value.
judge::SeedCurves growing(judge::SeedCurves curves) {
  const Points mean = mean_over_seeds(curves);
  double end = mean.rbegin()->first;
  for (const auto& [batch, count] : mean) {
    if (count >= mean.rbegin()->second) {
      end = batch;
      break;
    }
  }
  for (auto& [seed, curve] : curves) curve.erase(curve.lower_bound(end), curve.end());
  return curves;
}

/// The exponent of the half batch in d.
Finding judge_rule(const EvidencePoints& points, const std::string& optimizer, double critical,
                   CheckReport& report) {
  judge::SeedCurves halves;
  std::set<double> dimensions;
  for (const EvidencePoint& point : points) dimensions.insert(dimension_of(point));
  Curve shown{.title = fmt::format("facts that {} recovers against B", optimizer), .x_label = "B"};
  for (const double d : dimensions) {
    const judge::SeedCurves counts = over_batch(points, optimizer, d);
    for (const auto& [seed, curve] : counts) halves[seed][d] = half_batch(curve);
    const Points mean = mean_over_seeds(counts);
    shown.x = keys(mean);
    shown.series.push_back({fmt::format("d = {:g}, mean over seeds", d), values(mean)});
  }
  report.curves.push_back(std::move(shown));
  const double a = exponent_of(points.front()), most = *dimensions.rbegin();
  Finding growth = judge::evidence_of_exponent(
      fmt::format("exponent of {}'s count in B below saturation, d = {:g}", optimizer, most),
      growing(over_batch(points, optimizer, most)), 1 / a, claimed_text(1 / a));
  growth.headline = optimizer == "muon";
  report.findings.push_back(std::move(growth));
  Finding saturation = judge::evidence_of_exponent(
      fmt::format("exponent in d of the batch with half of {}'s facts", optimizer), halves, critical,
      claimed_text(critical, "derived"));
  saturation.headline = true;
  report.findings.push_back(saturation);
  return saturation;
}

/// Half of the last count is reached between two batches, unless already one sample recovers as much.
Hypothesis begins_low(const EvidencePoints& points) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::set<double> dimensions;
  for (const EvidencePoint& point : points) {
    least = std::min(least, batch_of(point));
    dimensions.insert(dimension_of(point));
  }
  for (const double d : dimensions) {
    for (const char* optimizer : {"muon", "gd"}) {
      const Points mean = mean_over_seeds(over_batch(points, optimizer, d));
      most = std::max(most, mean.begin()->second / mean.rbegin()->second);
    }
  }
  return {"the batches begin at 1, or with less than half of the facts", least == 1 || most < 0.5,
          fmt::format("at B = {:g} at most {:.3g} of those of the largest batch", least, most)};
}

Hypothesis minibatch(const EvidencePoints& points) {
  const bool met = std::all_of(points.begin(), points.end(), [](const EvidencePoint& point) {
    return point.experiment.data_mode == "minibatch" && point.experiment.label_noise == 0;
  });
  return {"gradient of B samples without label noise", met, met ? "minibatch" : "something else"};
}

void judge_critical_batch(const Evidence& evidence, CheckReport& report) {
  report.hypotheses = capacity_hypotheses(evidence, false);
  report.hypotheses.push_back(minibatch(evidence[0]));
  report.hypotheses.push_back(begins_low(evidence[0]));
  const double a = exponent_of(evidence[0].front());
  if (report.hypotheses.back().met) {
    const Finding muon = judge_rule(evidence[0], "muon", a + 0.5, report);
    const Finding gd = judge_rule(evidence[0], "gd", 0.5, report);
    report.findings.push_back(
        judge::intervals_apart("exponent of muon's batch above that of gd's, by", muon, gd));
  }
  report.findings.push_back(possible_states(evidence));
  report.note = fmt::format(
      "The largest batch stands for the population. Around the critical batch a sample recovers more facts "
      "than the "
      "population does, for both rules. {}",
      capacity_note);
  undecide_where_unmet(report);
}

}  // namespace

CheckRow kim2026_critical_batch() {
  return {.id = "kim2026/critical-batch",
          .title = "Muon saturates at larger batches than SGD",
          .statement =
              "One step on a batch of B samples recovers about B^{1/a} facts, as long as this is less than "
              "on the "
              "population: up to a critical batch B*, larger for Muon, d^{a+1/2}, than for SGD, d^{1/2} (the "
              "exponents "
              "are derived here from the capacities, not quoted).",
          .source = "kim2026, critical batch size",
          .hypotheses = {"independent Gaussian embeddings", "the exact polar factor", "p_i ∝ i^-a, a > 1",
                         "many more facts than dimensions", "gradient of B samples without label noise",
                         "d → ∞, up to powers of ln d"},
          .predicted = "recovered_count ≍ B^{1/a} for B ≪ B*; B* = d^{a+1/2} (muon), d^{1/2} (gd)",
          .measured =
              "facts recovered by one step on B = 1 to 65536 samples, a = 1.5, d = 32 to 128, N = 16 d, 8 "
              "seeds; for B*, "
              "the batch where half of the facts of the largest batch are recovered",
          .rule =
              "evidence only for the exponents: the mean of one slope a seed and its Student interval. At "
              "these d the "
              "exponent of Muon's batch has to lie above that of SGD's with disjoint intervals, and every "
              "state has to be one that some W has",
          .experiments =
              {{.file = "kim2026/critical-batch.toml",
                .quick = {"sweep.data.batch=[1, 4, 8, 16, 64, 256, 1024, 65536]",
                          "sweep.embedding.dimension, classes.count=[[16, 256], [32, 512], [64, 1024]]"}}},
          .no_precise_runs = no_precise_capacity,
          .judge = judge_critical_batch};
}

}  // namespace rarefact::checks
