#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "io/regular_file.hpp"
#include "results/result_file.hpp"

namespace rarefact {

namespace {

namespace fs = std::filesystem;

constexpr char needed[] =
    "python3 with h5py, numpy and matplotlib is needed (Debian: apt-get install python3-h5py python3-numpy "
    "python3-matplotlib)";

/// Replaces this process by analysis/draw.py, from beside the program (as in a build folder) or where it is installed, run
/// by the user's Python or Debian's with the program's path, these words and the operands. Throws FileError.
ExitCode draw(std::vector<std::string> words, const Arguments& arguments) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored), folder = program.parent_path();
  fs::path script = folder / "analysis/draw.py";
  if (!fs::exists(script, ignored)) script = folder / "../share/rarefact/analysis/draw.py";
  if (!fs::exists(script, ignored))
    throw FileError(fmt::format("analysis/draw.py, which draws figures, is not in {}",
                                fs::weakly_canonical(script).parent_path().string()));
  for (const std::string& operand : arguments.operands)
    if (fs::is_regular_file(operand, ignored)) refuse_crashing(operand);
  words.insert(words.begin(), {"python3", "-B", script.string(), program.string()});
  words.insert(words.end(), arguments.operands.begin(), arguments.operands.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  for (const char* python : {"python3", "/usr/bin/python3"}) ::execvp(python, pointers.data());
  throw FileError(needed);
}

}  // namespace

Command plot_command() {
  return {
      .name = "plot",
      .operands = {.name = "KIND FILE.h5",
                   .meaning = "a kind of figure, such as class_errors, or all; result files of rarefact run",
                   .repeatable = true},
      .passes_on = true,
      .run = [](const Arguments& arguments, const Streams&) { return draw({"plot"}, arguments); }};
}

Command report_command() {
  return {.name = "report",
          .operands = {.name = "RESULT.h5",
                       .meaning = "result files of rarefact run, reports of rarefact verify",
                       .required = true,
                       .repeatable = true},
          .options = {{"output", "FILE.html", "the page; default: report.html", name_objection, false, 'o'}},
          .run = [](const Arguments& arguments, const Streams&) {
            return draw({"report", "--output=" + arguments.text("output", "report.html"), "--"}, arguments);
          }};
}

}  // namespace rarefact
