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
#include "experiment/plan.hpp"

namespace rarefact {

/// One of `of` equal parts of a sweep: 0 <= index < of.
struct Shard {
  std::size_t index = 0;
  std::size_t of = 1;
};

/// "i/n", or "slurm": the task of a Slurm job array, by SLURM_ARRAY_TASK_ID, _MIN, _COUNT and _STEP as
/// `environment` gives them (null where unset). InputError that says what is wrong or missing.
Shard parse_shard(const std::string& text, const std::function<const char*(const char*)>& environment);

/// "3h50m": whole numbers with d, h, m or s, the larger units first, each at most once. InputError that names
/// the option.
std::chrono::seconds parse_duration(const std::string& text, const std::string& option = "--max-time");

/// --jobs, by default one for each core. InputError.
int thread_count(const Arguments& arguments);

/// --output, or results/NAME.h5. InputError if nothing can be written under that name.
std::filesystem::path output_path(const Arguments& arguments, const std::string& name);

/// Calls `body` and gives problems that have no place of their own the name of the experiment file.
ExitCode naming_the_file(const std::string& file, const std::function<ExitCode()>& body);

/// The operand and the options --output, --set and --jobs, the same for every command on a sweep.
Operands experiment_operand();
Option output_option();
Option set_option();
Option jobs_option();

}  // namespace rarefact
