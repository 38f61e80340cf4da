#include <algorithm>
#include <ostream>

#include "cli/command.hpp"
#include "results/result_file.hpp"

namespace rarefact::commands {

namespace {

/// Checks one file; a file that cannot be read does not keep the others from being checked.
ExitCode check_one(const std::string& file, const Streams& streams) {
  try {
    const std::vector<std::string> findings = check_result(file);
    for (const std::string& finding : findings) streams.out << file << ": damaged: " << finding << "\n";
    if (!findings.empty()) return ExitCode::damaged_result;
    streams.out << file << ": sound\n";
    return ExitCode::done;
  } catch (const FileError& error) {
    streams.err << "error: " << error.what() << "\n";
    return ExitCode::input_output;
  }
}

ExitCode run_check(const Arguments& arguments, const Streams& streams) {
  ExitCode worst = ExitCode::done;
  for (const std::string& file : arguments.operands) worst = std::max(worst, check_one(file, streams));
  return worst;
}

}  // namespace

Command check() {
  return {.name = "check",
          .summary = "whether result files are whole",
          .description =
              "Tests the integrity of result files: the checksum beside the file, its layout, and the "
              "checksum of every stored number. Prints one line for each sound file and one for each thing "
              "that is wrong; the exit code is 4 if anything is damaged, 3 if a file cannot be read.",
          .operands = {.name = "FILE.h5", .meaning = "result files", .repeatable = true},
          .examples = {"rarefact check results/*.h5"},
          .run = run_check};
}

}  // namespace rarefact::commands
