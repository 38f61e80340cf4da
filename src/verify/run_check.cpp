#include "experiment/write.hpp"
#include "sim/simulate.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact {

namespace {

/// The plans of a check. The user's overrides are applied to every experiment that accepts them: all
/// together, or else one by one. Throws InputError with the first objection if no experiment accepts one.
std::vector<ExperimentPlan> plans_of(const CheckRow& row, const CheckOptions& options, bool precise_points) {
  std::set<std::string> taken;
  std::optional<InputError> refusal;
  std::vector<ExperimentPlan> plans;
  for (const CheckExperiment& experiment : row.experiments) {
    std::vector<std::string> over = options.quick ? experiment.quick : std::vector<std::string>();
    if (precise_points) over.insert(over.end(), experiment.precise.begin(), experiment.precise.end());
    ExperimentPlan plan = parse_plan(experiment.text, experiment.file, over);
    const auto takes = [&](const std::vector<std::string>& more) {
      std::vector<std::string> all = over;
      all.insert(all.end(), more.begin(), more.end());
      try {
        plan = parse_plan(experiment.text, experiment.file, all);
      } catch (const InputError& error) {
        if (!refusal) refusal = error;
        return false;
      }
      over = std::move(all);
      taken.insert(more.begin(), more.end());
      return true;
    };
    if (!options.overrides.empty() && !takes(options.overrides))
      for (const std::string& text : options.overrides) takes({text});
    plans.push_back(std::move(plan));
  }
  for (const std::string& text : options.overrides)
    if (!taken.contains(text)) throw *refusal;
  return plans;
}

/// The key of a point; experiments of equal points may have different names.
std::string key_of(Experiment experiment) {
  experiment.name.clear();
  return to_toml(experiment);
}

/// `measures_digits`: as the plan says, or else only where it is "on".
EvidencePoints run_plan(const ExperimentPlan& plan, const CheckOptions& options,
                        std::optional<std::int64_t> digits, bool measures_digits, const Evidence& before) {
  std::map<std::string, const EvidencePoint*> known;
  for (const EvidencePoint* point : before.points()) known[key_of(point->experiment)] = point;
  EvidencePoints points(plan.size());
  points.axes = plan.axes();
  Workers workers(options.threads);
  workers.for_each(plan.size(), 1, [&](std::size_t index) {
    SweepPoint point = plan.point(index);
    if (digits) point.experiment.precision = *digits;
    if (options.change) options.change(point.experiment);
    if (!measures_digits && point.experiment.digits != "on") point.experiment.digits = "off";
    // A statement can read the values of a full grid that it reads on its quick one.
    if (point.experiment.spectral_metrics == "cheap") point.experiment.spectral_metrics = "auto";
    const auto same = known.empty() ? known.end() : known.find(key_of(point.experiment));
    if (same != known.end()) {
      points[index] = *same->second;
      return;
    }
    const FileReaders readers = file_readers(point.experiment.base_directory);
    const Setup setup = resolve(point.experiment, readers);
    raise(memory_problems(point.experiment, setup, options.memory_limit, options.threads));
    Result result = simulate(point.experiment, setup, readers, 1);
    // The evidence is for the step sizes that the search found, and a decay of value 0 is none.
    for (std::size_t o = 0; o < point.experiment.optimizers.size(); ++o) {
      OptimizerChoice& choice = point.experiment.optimizers[o];
      choice.step_size = result.runs.front().trajectories[o].step_size;
      if (!decays(choice, point.experiment, setup.spectrum)) choice.weight_decay = 0;
    }
    points[index] = {std::move(point.experiment), std::move(result)};
  });
  return points;
}

bool full(const CheckOptions& options) {
  return !options.quick && options.overrides.empty();
}

/// The hypothesis that every label has the rule of the statement's experiments.
Hypothesis own_rules(const CheckRow& row, const Evidence& evidence) {
  std::set<std::string> own, others;
  for (std::size_t e = 0; e < evidence.experiments.size(); ++e) {
    const CheckExperiment& experiment = row.experiments.at(e);
    std::set<std::pair<std::string, std::string>> rules;
    for (const OptimizerChoice& choice :
         parse_plan(experiment.text, experiment.file).point(0).experiment.optimizers)
      rules.insert({choice.name, choice.rule});
    for (const EvidencePoint& point : evidence[e]) {
      for (const OptimizerChoice& choice : point.experiment.optimizers)
        (rules.contains({choice.name, choice.rule}) ? own : others).insert(choice.rule);
    }
  }
  return {"runs use the rules the claim names", others.empty(),
          fmt::format("{}", fmt::join(others.empty() ? own : others, ", "))};
}

bool in_50_digits(const CheckRow& row, const CheckOptions& options) {
  return options.precise && row.word("only_doubles").empty();
}

}  // namespace

void require_plans(const CheckRow& row, const CheckOptions& options) {
  plans_of(row, options, in_50_digits(row, options));
}

CheckReport judge_check(const CheckRow& row, const Evidence& evidence) {
  CheckReport report{.id = row.id, .note = row.word("note")};
  claims::judge_claim(row, evidence, report);
  report.reads_no_run = !report.bases.empty() && std::ranges::none_of(report.bases, &FindingBasis::of_runs);
  // Outside of its hypotheses a statement claims nothing, so no finding holds or fails.
  for (Finding& finding : report.findings)
    if (!report.all_met()) finding.verdict = Verdict::inconclusive;
  for (const EvidencePoint* point : evidence.points()) report.runs += point->run().trajectories.size();
  return report;
}

Evidence gather_evidence(const CheckRow& row, const CheckOptions& options, std::optional<std::int64_t> digits,
                         const Evidence& before) {
  // The catalogue's runs as written have digits, which its tests and runs in 50 digits show.
  const bool written = !row.of_user && options.overrides.empty(),
             measures_digits = !written && !digits && !options.change;
  const auto points = [&](const ExperimentPlan& plan) {
    return run_plan(plan, options, digits, measures_digits, before);
  };
  return {.experiments = mapped(plans_of(row, options, digits.has_value()), points),
          .precise = digits == 50,
          .full = full(options),
          .as_written = options.overrides.empty()};
}

CheckReport run_check(const CheckRow& row, const CheckOptions& options, Evidence& before) {
  const auto judged = [&](const Evidence& evidence) {
    try {
      CheckReport report = judge_check(row, evidence);
      report.hypotheses.push_back(own_rules(row, evidence));
      return report;
    } catch (const InputError& error) {
      // Only overrides can make the runs unsuitable.
      if (options.overrides.empty()) throw;
      throw bad_input("--set: {} cannot be judged on these runs: {}", row.id,
                      error.problems().front().message);
    }
  };
  if (row.quick_first && !options.quick) {
    CheckOptions quick = options;
    quick.quick = true;
    before = gather_evidence(row, quick, {}, before);
    judged(before);
  }
  CheckReport report;
  if (in_50_digits(row, options)) {
    const Evidence doubles = gather_evidence(row, options, 16);
    report = judged(doubles);
    if (row.of_user) note_unseen(row, doubles, report);
    report.confirm(judged(gather_evidence(row, options, 50)));
  } else {
    before = gather_evidence(row, options, {}, before);
    report = judged(before);
    if (row.of_user) note_unseen(row, before, report);
  }
  // "--quick --set seed=2": the options that changed the runs.
  std::vector<std::string> parts;
  if (options.quick) parts.push_back("--quick");
  if (options.precise) parts.push_back("--precision 50");
  for (const std::string& text : options.overrides) parts.push_back("--set " + text);
  report.options = joined(parts, " ");
  return report;
}

}  // namespace rarefact
