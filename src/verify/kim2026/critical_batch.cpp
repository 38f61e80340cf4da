#include "verify/kim2026/capacity.hpp"

namespace rarefact::checks::kim2026 {

namespace {

double batch_of(const EvidencePoint& point) {
  return point.experiment.data_parameters.has("batch") ? point.experiment.data_parameters.number("batch") : 0;
}

/// Counts over B at one d.
judge::SeedCurves over_batch(const PointList& points, const std::string& optimizer, double dimension) {
  return seed_curves(points, batch_of, recorded(optimizer, "recovered_count"), dimension_of, dimension);
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
  const Points mean = judge::mean_over_seeds(curves);
  const double most = mean.rbegin()->second;
  const auto end = std::find_if(mean.begin(), mean.end(), [&](const auto& at) { return at.second >= most; });
  const double batch = end == mean.end() ? mean.rbegin()->first : end->first;
  for (auto& [seed, curve] : curves) curve.erase(curve.lower_bound(batch), curve.end());
  return curves;
}

/// The exponent of the half batch in d.
Finding judge_saturation(const PointList& points, const std::string& optimizer, double critical,
                         CheckReport& report) {
  judge::SeedCurves halves;
  std::vector<std::pair<std::string, Points>> curves;
  const std::vector<double> dimensions = distinct(points, dimension_of);
  for (const double d : dimensions) {
    const judge::SeedCurves counts = over_batch(points, optimizer, d);
    for (const auto& [seed, curve] : counts) halves[seed][d] = half_batch(curve);
    curves.push_back({fmt::format("d = {:g}, mean over seeds", d), judge::mean_over_seeds(counts)});
  }
  report.curve(fmt::format("facts that {} recovers against B", optimizer), "B", curves);
  const double growth = 1 / exponent_of(*points.front()), most = dimensions.back();
  report.finding("growth/" + optimizer, "", optimizer == "muon")
      .evidence_of_exponent(
          fmt::format("exponent of {}'s count in B below saturation, d = {:g}", optimizer, most),
          growing(over_batch(points, optimizer, most)), growth, claimed_text(growth));
  return report.headline("saturation/" + optimizer)
      .evidence_of_exponent(fmt::format("exponent in d of the batch with half of {}'s facts", optimizer),
                            halves, critical, claimed_text(critical, "derived"));
}

/// Half of the last count is reached between two batches, unless already one sample recovers as much.
hypothesis::Outcome begins_low(const PointList& points) {
  const double least = distinct(points, batch_of).front();
  double most = 0;
  for (const double d : distinct(points, dimension_of)) {
    for (const char* optimizer : {"muon", "gd"}) {
      const Points mean = judge::mean_over_seeds(over_batch(points, optimizer, d));
      most = std::max(most, mean.begin()->second / mean.rbegin()->second);
    }
  }
  return {least == 1 || most < 0.5,
          fmt::format("at B = {:g} at most {:.3g} of those of the largest batch", least, most)};
}

bool minibatch(const EvidencePoint& point) {
  return point.experiment.data_mode == "minibatch" && point.experiment.label_noise == 0;
}

void judge_batches(const Evidence& evidence, CheckReport& report) {
  const PointList points = list_of(evidence[0]);
  const Finding muon = judge_saturation(points, "muon", exponent_of(*points.front()) + 0.5, report);
  const Finding gd = judge_saturation(points, "gd", 0.5, report);
  report.finding("apart").intervals_apart("exponent of muon's batch above that of gd's, by", muon, gd);
  report.note =
      "The largest batch stands for the population. Around the critical batch a sample recovers more "
      "facts than the population does, for both rules. ";
}

}  // namespace

CheckRow critical_batch() {
  return capacity_check(
      {.id = "kim2026/critical-batch",
       .hypotheses = {every("gradient of B samples without label noise", minibatch, "minibatch",
                            "something else"),
                      needed({"the batches begin at 1, or with less than half of the facts", begins_low})},
       .judge = judge_batches});
}

}  // namespace rarefact::checks::kim2026
