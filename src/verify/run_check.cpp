#include "rarefact/verify/run_check.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "rarefact/core/parallel.hpp"
#include "rarefact/io/experiment_plan.hpp"

namespace rarefact {

namespace {

/// The plan of a check's experiment with what the options put over it.
ExperimentPlan plan_of(const CheckExperiment& experiment, const CheckOptions& options, bool precise_points) {
  std::vector<std::string> over = options.quick ? experiment.quick : std::vector<std::string>();
  if (precise_points) over.insert(over.end(), experiment.precise.begin(), experiment.precise.end());
  over.insert(over.end(), options.overrides.begin(), options.overrides.end());
  return parse_plan(experiment_text(experiment.file), "experiments/" + experiment.file, over);
}

EvidencePoints run_plan(const ExperimentPlan& plan, int threads, std::optional<std::int64_t> precision) {
  EvidencePoints points(plan.size());
  Workers workers(threads);
  workers.for_tiles(static_cast<Index>(plan.size()), 1, [&](Index begin, Index) {
    const auto index = static_cast<std::size_t>(begin);
    SweepPoint point = plan.point(index);
    if (precision) point.experiment.precision = *precision;
    Result result = simulate(point.experiment, {}, 1);
    result.runs.front().index = static_cast<std::int64_t>(index);
    result.runs.front().parameters = point.parameters;
    points[index] = {std::move(point.experiment), std::move(result)};
  });
  return points;
}

Evidence gather(const CheckRow& row, const CheckOptions& options, bool precise_points,
                std::optional<std::int64_t> precision) {
  Evidence evidence{.experiments = {}, .precise = precision == 50};
  for (const CheckExperiment& experiment : row.experiments)
    evidence.experiments.push_back(
        run_plan(plan_of(experiment, options, precise_points), options.threads, precision));
  return evidence;
}

CheckReport judged(const CheckRow& row, const Evidence& evidence) {
  CheckReport report{.id = row.id};
  for (const EvidencePoints& points : evidence.experiments) {
    for (const EvidencePoint& point : points) report.runs += point.run().trajectories.size();
  }
  row.judge(evidence, report);
  return report;
}

/// States how many digits of the numbers of `report` those of `exact` confirm.
void confirm(CheckReport& report, const CheckReport& exact) {
  for (std::size_t i = 0; i < std::min(report.findings.size(), exact.findings.size()); ++i) {
    Finding& finding = report.findings[i];
    // What is left of an agreement is rounding: the numbers behind it are right as far as they agree.
    finding.right_digits = finding.agrees_to ? right_digits(1 + finding.measured, 1)
                                             : right_digits(finding.measured, exact.findings[i].measured);
  }
  for (std::size_t c = 0; c < std::min(report.curves.size(), exact.curves.size()); ++c) {
    Curve& curve = report.curves[c];
    double least = 17;
    for (std::size_t s = 0; s < curve.series.size(); ++s) {
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        least = std::min(least, right_digits(curve.series[s].y[i], exact.curves[c].series[s].y.at(i)));
    }
    curve.right_digits = least;
  }
}

}  // namespace

double right_digits(double measured, double exact) {
  constexpr double all = 17;  // what a double can hold
  if (measured == exact || (std::isnan(measured) && std::isnan(exact))) return all;
  const double difference = std::abs(measured - exact) / std::abs(exact);
  if (!std::isfinite(difference)) return 0;
  return std::clamp(-std::log10(difference), 0.0, all);
}

Evidence gather_evidence(const CheckRow& row, const CheckOptions& options) {
  return gather(row, options, false, std::nullopt);
}

CheckReport run_check(const CheckRow& row, const CheckOptions& options) {
  if (!options.precise || !row.no_precise_runs.empty()) return judged(row, gather_evidence(row, options));
  CheckReport report = judged(row, gather(row, options, true, 16));
  confirm(report, judged(row, gather(row, options, true, 50)));
  return report;
}

}  // namespace rarefact
