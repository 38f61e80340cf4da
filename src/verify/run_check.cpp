#include "verify/run_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/parallel.hpp"
#include "experiment/plan.hpp"
#include "rarefact/error.hpp"
#include "sim/simulate.hpp"

namespace rarefact {

namespace {

/// What is put over an experiment of a check.
std::vector<std::string> put_over(const CheckExperiment& experiment, const CheckOptions& options,
                                  bool precise_points) {
  std::vector<std::string> over = options.quick ? experiment.quick : std::vector<std::string>();
  if (precise_points) over.insert(over.end(), experiment.precise.begin(), experiment.precise.end());
  return over;
}

ExperimentPlan plan_of(const CheckExperiment& experiment, const std::vector<std::string>& over) {
  return parse_plan(experiment_text(experiment.file), "experiments/" + experiment.file, over);
}

/// What of the overrides an experiment takes: all of them together, or else one after the other. `taken`
/// counts for each override, and `refusal` keeps the first objection.
std::vector<std::string> accepted(const CheckExperiment& experiment, std::vector<std::string> over,
                                  const std::vector<std::string>& overrides, std::vector<int>& taken,
                                  std::optional<InputError>& refusal) {
  const auto accepts = [&](const std::vector<std::string>& all) {
    try {
      plan_of(experiment, all);
      return true;
    } catch (const InputError& error) {
      if (!refusal) refusal = error;
      return false;
    }
  };
  std::vector<std::string> all = over;
  all.insert(all.end(), overrides.begin(), overrides.end());
  if (accepts(all)) {
    for (int& count : taken) ++count;
    return all;
  }
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    over.push_back(overrides[i]);
    if (accepts(over)) {
      ++taken[i];
    } else {
      over.pop_back();
    }
  }
  return over;
}

/// The plans of a check. An override of the user is put over every experiment that takes it. InputError where
/// one is taken by none.
std::vector<ExperimentPlan> plans_of(const CheckRow& row, const CheckOptions& options, bool precise_points) {
  std::vector<int> taken(options.overrides.size());
  std::optional<InputError> refusal;
  std::vector<ExperimentPlan> plans;
  for (const CheckExperiment& experiment : row.experiments) {
    const std::vector<std::string> over = put_over(experiment, options, precise_points);
    plans.push_back(plan_of(experiment, accepted(experiment, over, options.overrides, taken, refusal)));
  }
  if (std::find(taken.begin(), taken.end(), 0) != taken.end()) throw *refusal;
  return plans;
}

EvidencePoints run_plan(const ExperimentPlan& plan, int threads, std::optional<std::int64_t> precision) {
  EvidencePoints points(plan.size());
  Workers workers(threads);
  workers.for_tiles(static_cast<Index>(plan.size()), 1, [&](Index begin, Index) {
    const auto index = static_cast<std::size_t>(begin);
    SweepPoint point = plan.point(index);
    if (precision) point.experiment.precision = *precision;
    Result result = simulate(point.experiment, {}, 1);
    // What was searched for is what the evidence is of.
    for (std::size_t o = 0; o < point.experiment.optimizers.size(); ++o)
      point.experiment.optimizers[o].step_size = result.runs.front().trajectories[o].step_size;
    result.runs.front().index = static_cast<std::int64_t>(index);
    result.runs.front().parameters = point.parameters;
    points[index] = {std::move(point.experiment), std::move(result)};
  });
  return points;
}

Evidence gather(const CheckRow& row, const CheckOptions& options, bool precise_points,
                std::optional<std::int64_t> precision) {
  Evidence evidence{.experiments = {}, .precise = precision == 50};
  for (const ExperimentPlan& plan : plans_of(row, options, precise_points))
    evidence.experiments.push_back(run_plan(plan, options.threads, precision));
  return evidence;
}

/// States how many digits of the numbers of `report` those of `exact` confirm.
void confirm(CheckReport& report, const CheckReport& exact) {
  for (Finding& finding : report.findings) {
    for (const Finding& other : exact.findings) {
      if (other.id != finding.id) continue;
      // The number of an agreement is a relative difference: how far it moves is what doubles got wrong.
      finding.right_digits = finding.agrees_to
                                 ? right_digits(1 + std::abs(finding.measured - other.measured), 1)
                                 : right_digits(finding.measured, other.measured);
    }
  }
  if (exact.verdict() != report.verdict()) {
    report.hypotheses.push_back({"doubles are enough for the verdict", false,
                                 "in 50 digits the verdict is: " + verdict_text(exact.verdict())});
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

CheckReport judge_check(const CheckRow& row, const Evidence& evidence) {
  CheckReport report{.id = row.id, .note = row.note};
  bool measurable = true;
  for (const HypothesisRow& one : row.hypotheses) {
    if (!one.test) continue;
    report.hypotheses.push_back(one.tested(evidence));
    measurable = measurable && (!one.needed || report.hypotheses.back().met);
  }
  if (measurable) row.judge(evidence, report);
  // What all statements take for granted.
  for (const HypothesisRow& one :
       {hypothesis::constant_step_sizes(), hypothesis::gradient(row.thresholded)}) {
    const Hypothesis tested = one.tested(evidence);
    if (!tested.met) report.hypotheses.push_back(tested);
  }
  // Outside of its hypotheses a statement claims nothing: what fails there decides nothing.
  for (Finding& finding : report.findings) {
    if (!report.all_met() && finding.verdict == Verdict::fails) finding.verdict = Verdict::inconclusive;
  }
  for (const EvidencePoint* point : evidence.all()) report.runs += point->run().trajectories.size();
  return report;
}

Evidence gather_evidence(const CheckRow& row, const CheckOptions& options) {
  return gather(row, options, false, std::nullopt);
}

namespace {

CheckReport checked(const CheckRow& row, const CheckOptions& options) {
  if (!options.precise || !row.no_precise_runs.empty())
    return judge_check(row, gather_evidence(row, options));
  CheckReport report = judge_check(row, gather(row, options, true, 16));
  confirm(report, judge_check(row, gather(row, options, true, 50)));
  return report;
}

/// "--quick --set seed=2": what changed the runs of a check.
std::string options_text(const CheckOptions& options) {
  std::string text = options.quick ? "--quick" : "";
  if (options.precise) text += text.empty() ? "--precision 50" : " --precision 50";
  for (const std::string& one : options.overrides) text += (text.empty() ? "--set " : " --set ") + one;
  return text;
}

}  // namespace

CheckReport run_check(const CheckRow& row, const CheckOptions& options) {
  try {
    CheckReport report = checked(row, options);
    report.options = options_text(options);
    return report;
  } catch (const std::logic_error& error) {
    // The runs of a check have what it asks for, unless somebody changed them.
    if (options.overrides.empty()) throw;
    throw InputError(fmt::format("--set: {} cannot be judged on these runs: {}", row.id, error.what()));
  }
}

}  // namespace rarefact
