#pragma once

/// What the commands that run, merge and look after experiments read from the command line.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "experiment/plan.hpp"
#include "io/array_file.hpp"

namespace rarefact {

/// One of `of` equal parts of a sweep: 0 <= index < of.
struct Shard {
  std::size_t index = 0;
  std::size_t of = 1;
};

/// An experiment file, where its result is kept, and how it is to be run.
struct Job {
  std::string file;
  std::vector<std::string> overrides;  ///< as given to --set
  ExperimentPlan plan;
  std::filesystem::path output;
  FileReaders readers;
  int threads = 1;
  bool strict = false;
  std::optional<Shard> shard = {};  ///< compute this part and do not merge
  std::optional<std::chrono::seconds> max_time = {};
  std::chrono::seconds checkpoint_interval{60};
  ProgressStyle progress = ProgressStyle::none;

  bool sweep() const { return !plan.axes().empty(); }
};

/// The rows of these options, in the order of the names.
std::vector<Option> job_options(const std::vector<std::string>& names);

/// The operand of every command on an experiment.
Operands experiment_operand();

/// --jobs, by default one for each core. InputError.
int thread_count(const Arguments& arguments);

/// Reads what the options say, and the experiment file. InputError, FileError.
Job read_job(const Arguments& arguments, const Streams& streams);

/// Calls `body` and gives problems that have no place of their own the name of the experiment file.
ExitCode naming_the_file(const Job& job, const std::function<ExitCode()>& body);

/// "i/n", or "slurm": the task of a Slurm job array, by SLURM_ARRAY_TASK_ID, _MIN, _COUNT and _STEP as
/// `environment` gives them (null where unset). InputError that says what is wrong or missing.
Shard parse_shard(const std::string& text, const std::function<const char*(const char*)>& environment);

/// "3h50m": whole numbers with d, h, m or s, the larger units first, each at most once. InputError that names
/// the option.
std::chrono::seconds parse_duration(const std::string& text, const std::string& option = "--max-time");

}  // namespace rarefact
