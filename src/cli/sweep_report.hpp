#pragma once

// What `rarefact run` says of a sweep before it runs.

#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "experiment/plan.hpp"
#include "sweep/sweep.hpp"

namespace rarefact {

/// "muon: engine symmetric, 1.2 MB (why)" and a line break.
std::string engine_line(const EngineChoice& choice);

/// "12 points: classes.exponent (3) × seed (4)"; a joint axis as "classes.groups, run.steps (3)".
std::string plan_line(const ExperimentPlan& plan);

/// Which engines the points run on, a line for each optimizer.
std::string survey_lines(const SweepSurvey& survey);

/// The points that cannot run, each with its parameters and why, as problems of the file. Precondition: there
/// is one.
InputError refusal(const SweepSurvey& survey, const std::string& file);

/// "classes.exponent = 1.5, seed = 2".
std::string parameter_text(const std::map<std::string, SweptValue>& parameters);

/// "1.2 MB".
std::string memory_text(double bytes);

/// What --dry-run prints: the plan, what it takes, and these resolved experiments with their engines.
std::string dry_run_text(const ExperimentPlan& plan, const FileReaders& readers, const std::string& estimates,
                         const std::vector<std::size_t>& shown);

}  // namespace rarefact
