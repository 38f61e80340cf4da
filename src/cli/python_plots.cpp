#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/command.hpp"
#include "io/regular_file.hpp"

namespace rarefact {

namespace {

namespace fs = std::filesystem;

// Exit codes if a Python cannot run analysis/draw.py: missing module, not executable, not found.
constexpr std::array cannot = {69, 126, 127};
constexpr char needed[] =
    "python3 with h5py, numpy and matplotlib is needed (Debian: apt-get install python3-h5py python3-numpy "
    "python3-matplotlib)";

/// The path of analysis/draw.py: beside the program, as in a build folder, or where it is installed. Throws
/// FileError if it is missing.
fs::path drawing_script() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::vector<fs::path> places = {folder / "analysis", folder / "../share/rarefact/analysis"};
  for (const fs::path& place : places) {
    if (fs::exists(place / "draw.py", ignored)) return place / "draw.py";
  }
  throw FileError(fmt::format("analysis/draw.py, which draws figures, is not in {}",
                              fs::weakly_canonical(places.back()).string()));
}

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

/// The contents of a file, from its beginning.
std::string text_of(FILE* file) {
  std::string text;
  std::array<char, 4096> block;
  std::rewind(file);
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), file))
    text.append(block.data(), got);
  return text;
}

/// A finished program: its exit code and output.
struct Ended {
  int code;
  std::string out, err;
};

/// Runs a program, which ends when this process ends for any reason. Throws FileError if it cannot be
/// started.
Ended run_to_end(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const File out(std::tmpfile(), std::fclose), err(std::tmpfile(), std::fclose);
  const pid_t self = ::getpid(), child = out && err ? ::fork() : -1;
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // If the parent ended before that, there is no signal.
    if (::getppid() == self && ::dup2(::fileno(out.get()), STDOUT_FILENO) >= 0 &&
        ::dup2(::fileno(err.get()), STDERR_FILENO) >= 0)
      ::execvp(arguments[0], arguments.data());
    ::_exit(errno == EACCES ? 126 : 127);
  }
  if (child < 0) throw FileError(fmt::format("{}: {}", words.front(), std::strerror(errno)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out.get()),
          text_of(err.get())};
}

/// Runs draw.py with these words and the operands. Throws FileError if no Python can.
ExitCode draw(std::vector<std::string> words, const Arguments& arguments, const Streams& streams) {
  words.insert(words.end(), arguments.operands.begin(), arguments.operands.end());
  const std::string script = drawing_script().string();
  std::string lacking;
  // The first Python on PATH may be the user's own, but Debian's packages are only for Debian's Python.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    std::vector<std::string> command = {python, "-B", script};
    command.insert(command.end(), words.begin(), words.end());
    const Ended ended = run_to_end(command);
    if (ended.code == cannot[0] && lacking.empty()) lacking = ended.err;
    if (std::find(cannot.begin(), cannot.end(), ended.code) != cannot.end()) continue;
    streams.err << ended.err;
    streams.out << ended.out;
    if (ended.code == 0 || (ended.code >= 2 && ended.code <= 4)) return static_cast<ExitCode>(ended.code);
    throw FileError(fmt::format("{} ended with {}", script, ended.code));
  }
  throw FileError(lacking.starts_with("error: ") ? lacking.substr(7, lacking.size() - 8) : needed);
}

ExitCode run_plot(const Arguments& arguments, const Streams& streams) {
  return draw({"plot"}, arguments, streams);
}

ExitCode run_report(const Arguments& arguments, const Streams& streams) {
  const std::string output = arguments.text("output", "report.html");
  const ExitCode code = draw({"report", "--output=" + output, "--"}, arguments, streams);
  if (code == ExitCode::done || code == ExitCode::damaged_result) streams.out << "report: " << output << "\n";
  return code;
}

}  // namespace

Command plot_command() {
  return {
      .name = "plot",
      .summary = "a figure for a paper from result files",
      .description =
          "Draws one kind of figure (docs/reference.md), or all that a result file has the numbers for: PDF, SVG, "
          "PNG, and the plotted numbers as CSV. The words after KIND are the figure's; rarefact plot KIND "
          "--help says which there are. Figures are drawn by Python with h5py, numpy and matplotlib.",
      .operands = {.name = "KIND FILE.h5",
                   .meaning = "a kind of figure, such as class_errors, or all; result files of rarefact run",
                   .repeatable = true},
      .examples = {"rarefact plot class_errors results/starter.h5",
                   "rarefact plot all results/starter.h5 -o figures", "rarefact plot losses --help"},
      .passes_on = true,
      .run = run_plot};
}

Command report_command() {
  return {
      .name = "report",
      .summary = "one HTML page about results, with figures",
      .description =
          "Writes one HTML file that can be mailed: of every result file the steps to an error below 0.1, the "
          "figures that its numbers allow, tables with the predictions beside, engines, experiment and BibTeX; "
          "of a report of rarefact verify -o the verdicts with their numbers and curves. The page needs no "
          "network and no script and can be read on a phone; equal files give equal bytes. It is drawn by "
          "Python with h5py, numpy and matplotlib; single figures, for a paper, are drawn by rarefact plot.\n"
          "A file that cannot be read is named and left out; the exit code is 4 then, and 2 if nothing is "
          "left.",
      .operands = {.name = "RESULT.h5",
                   .meaning = "result files of rarefact run, reports of rarefact verify",
                   .required = true,
                   .repeatable = true},
      .options = {{"output", "FILE.html", "the page; default: report.html", name_objection, false, 'o'}},
      .examples = {"rarefact report results/starter.h5",
                   "rarefact report results/*.h5 verdicts.h5 -o report.html"},
      .run = run_report};
}

}  // namespace rarefact
