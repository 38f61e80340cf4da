#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "core/parallel.hpp"
#include "core/status.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/plan.hpp"
#include "experiment/write.hpp"
#include "sim/simulate.hpp"
#include "sim/unit.hpp"
#include "verify/assumptions.hpp"
#include "verify/claim_judge.hpp"

namespace rarefact {

std::string verdict_text(Verdict verdict) {
  return std::string(verdict_rows[static_cast<std::size_t>(verdict)].text);
}

Finding& CheckReport::add(const std::string& name, const std::string& of, Finding finding, bool headline) {
  finding.id = of.empty() ? name : name + "/" + of;
  if (!of.empty()) finding.quantity += ", " + of;
  finding.headline = finding.headline || headline;
  return findings.emplace_back(std::move(finding));
}

void CheckReport::curve(std::string title, std::string x_label,
                        const std::vector<std::pair<std::string, Points>>& series) {
  Curve curve{.title = std::move(title), .x_label = std::move(x_label), .x = keys(series.front().second)};
  for (const auto& [label, points] : series) curve.series.push_back({label, values(points)});
  curves.push_back(std::move(curve));
}

std::vector<const Finding*> CheckReport::of(const std::string& name) const {
  std::vector<const Finding*> found;
  for (const Finding& finding : findings) {
    if (finding.id == name || finding.id.starts_with(name + "/") || finding.id.starts_with(name + ","))
      found.push_back(&finding);
  }
  return found;
}

bool CheckReport::all_met() const {
  return std::all_of(hypotheses.begin(), hypotheses.end(),
                     [](const Hypothesis& hypothesis) { return hypothesis.met; });
}

Verdict CheckReport::verdict() const {
  Verdict weightiest = all_met() && !findings.empty() ? Verdict::sharp : Verdict::inconclusive;
  bool sharp = false, missed = false;  // a constant is met, a constant of the tables is not
  for (const Finding& finding : findings) {
    weightiest = std::max(weightiest, finding.verdict);
    sharp = sharp || finding.verdict == Verdict::sharp;
    missed = missed || (finding.headline && finding.sharp && finding.verdict == Verdict::holds);
  }
  return weightiest == Verdict::holds && sharp && !missed ? Verdict::sharp : weightiest;
}

namespace {

/// The plans of a check. An override of the user is put over every experiment that takes it: all of them
/// together, or else one after the other. InputError, the first objection, where one is taken by none.
std::vector<ExperimentPlan> plans_of(const CheckRow& row, const CheckOptions& options, bool precise_points) {
  std::set<std::string> taken;
  std::optional<InputError> refusal;
  std::vector<ExperimentPlan> plans;
  for (const CheckExperiment& experiment : row.experiments) {
    const auto plan_with = [&](const std::vector<std::string>& over) {
      return parse_plan(experiment.text, experiment.file, over);
    };
    std::vector<std::string> over = options.quick ? experiment.quick : std::vector<std::string>();
    if (precise_points) over.insert(over.end(), experiment.precise.begin(), experiment.precise.end());
    const auto takes = [&](const std::vector<std::string>& more) {
      std::vector<std::string> all = over;
      all.insert(all.end(), more.begin(), more.end());
      try {
        plan_with(all);
      } catch (const InputError& error) {
        if (!refusal) refusal = error;
        return false;
      }
      over = std::move(all);
      taken.insert(more.begin(), more.end());
      return true;
    };
    if (!takes(options.overrides)) {
      for (const std::string& text : options.overrides) takes({text});
    }
    plans.push_back(plan_with(over));
  }
  for (const std::string& text : options.overrides) {
    if (!taken.contains(text)) throw *refusal;
  }
  return plans;
}

/// The key that identifies a point; experiments of equal points may have several names.
std::string key_of(Experiment experiment) {
  experiment.name.clear();
  return to_toml(experiment);
}

EvidencePoints run_plan(const ExperimentPlan& plan, const CheckOptions& options,
                        std::optional<std::int64_t> digits, const Evidence& before) {
  std::map<std::string, const EvidencePoint*> known;
  for (const EvidencePoint* point : before.points()) known[key_of(point->experiment)] = point;
  EvidencePoints points(plan.size());
  points.axes = plan.axes();
  Workers workers(options.threads);
  workers.for_tiles(static_cast<Index>(plan.size()), 1, [&](Index begin, Index) {
    const auto index = static_cast<std::size_t>(begin);
    SweepPoint point = plan.point(index);
    if (digits) point.experiment.precision = *digits;
    if (options.change) options.change(point.experiment);
    // Evidence has precise points of its own; asked for, lost digits are a hypothesis that is not met.
    if (point.experiment.digits == "auto") point.experiment.digits = "off";
    const auto same = known.empty() ? known.end() : known.find(key_of(point.experiment));
    if (same != known.end()) {
      points[index] = *same->second;
      return;
    }
    Setup setup = resolve(point.experiment, {});
    raise(memory_problems(point.experiment, setup, options.memory_limit, options.threads));
    Result result = simulate(point.experiment, std::move(setup), {}, 1);
    // The evidence is of the step sizes found by the search.
    for (std::size_t o = 0; o < point.experiment.optimizers.size(); ++o)
      point.experiment.optimizers[o].step_size = result.runs.front().trajectories[o].step_size;
    result.runs.front().index = static_cast<std::int64_t>(index);
    result.runs.front().parameters = point.parameters;
    points[index] = {std::move(point.experiment), std::move(result)};
  });
  return points;
}

/// The points of a plan before anything has run: steps, classes, and the variables that a first step records.
EvidencePoints points_before(const ExperimentPlan& plan) {
  EvidencePoints points;
  points.axes = plan.axes();
  Result first;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EvidencePoint& point = points.emplace_back(plan.point(i).experiment);
    const Setup setup = resolve(point.experiment, {});
    if (i == 0) {
      Experiment start = point.experiment;
      start.steps = std::min<std::int64_t>(start.steps, 1);
      start.record = {};
      start.digits = "off";
      first = simulate(start, {}, 1);
    }
    const Workers workers(1);
    const LearningProblem problem(point.experiment, setup.spectrum, setup.steps, {}, workers);
    point.result.steps = setup.steps;
    point.result.variables = first.variables;
    Run& run = point.result.runs.emplace_back();
    run.class_count = problem.rows.count;
    run.class_probability = problem.rows.probability;
    run.class_log_rank = problem.rows.log_rank;
    run.answers = problem.answers;
    for (const OptimizerChoice& choice : point.experiment.optimizers) {
      Trajectory& trajectory = run.trajectories.emplace_back();
      trajectory.optimizer = choice.name;
      trajectory.status = text_of(Status::complete);
    }
  }
  return points;
}

/// Judges a claim on no values. InputError with the place of whatever is wrong with it on any.
void rehearse(const CheckRow& row, const std::vector<ExperimentPlan>& plans, bool full) {
  Evidence evidence{.experiments = mapped(plans, points_before), .full = full, .rehearsal = true};
  CheckReport report;
  claims::judge_claim(row, evidence, report);
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

CheckReport judge_check(const CheckRow& row, const Evidence& evidence, bool any_rules) {
  CheckReport report{.id = row.id, .note = row.word("note")};
  claims::judge_claim(row, evidence, report);
  // Outside of its hypotheses a statement claims nothing: what speaks against it there decides nothing.
  for (Finding& finding : report.findings) {
    if (!report.all_met() && finding.verdict >= Verdict::against) finding.verdict = Verdict::inconclusive;
  }
  // Another rule confirms nothing, but what fails under it stays a failure, of the rule.
  if (!any_rules) report.hypotheses.push_back(own_rules(row, evidence));
  for (const EvidencePoint* point : evidence.points()) report.runs += point->run().trajectories.size();
  return report;
}

Evidence gather_evidence(const CheckRow& row, const CheckOptions& options, std::optional<std::int64_t> digits,
                         const Evidence& before) {
  Evidence evidence{
      .experiments = {}, .precise = digits == 50, .full = !options.quick && options.overrides.empty()};
  const std::vector<ExperimentPlan> plans = plans_of(row, options, digits.has_value());
  if (row.rehearsed && !options.change) rehearse(row, plans, evidence.full);
  for (const ExperimentPlan& plan : plans)
    evidence.experiments.push_back(run_plan(plan, options, digits, before));
  return evidence;
}

CheckReport run_check(const CheckRow& row, const CheckOptions& options, Evidence& before) {
  const auto judged = [&](const Evidence& evidence) {
    try {
      return judge_check(row, evidence);
    } catch (const InputError& error) {
      // The runs of a check have what it asks for, unless somebody changed them.
      if (options.overrides.empty()) throw;
      throw bad_input("--set: {} cannot be judged on these runs: {}", row.id,
                      error.problems().front().message);
    }
  };
  CheckReport report;
  if (options.precise && row.word("only_doubles").empty()) {
    report = judged(gather_evidence(row, options, 16));
    confirm(report, judged(gather_evidence(row, options, 50)));
  } else {
    before = gather_evidence(row, options, {}, before);
    report = judged(before);
  }
  // "--quick --set seed=2": what changed the runs.
  std::vector<std::string> parts;
  if (options.quick) parts.push_back("--quick");
  if (options.precise) parts.push_back("--precision 50");
  for (const std::string& text : options.overrides) parts.push_back("--set " + text);
  report.options = joined(parts, " ");
  return report;
}

}  // namespace rarefact
