#include <fcntl.h>
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
#include <ostream>

#include "cli/command.hpp"
#include "io/plain_file.hpp"

namespace rarefact {

namespace {

namespace fs = std::filesystem;

// What analysis/report.py and run_to_end end with where this Python cannot do it: no module, not to be run, not there.
constexpr std::array cannot = {69, 126, 127};

/// analysis/report.py: beside the program (a build folder within the source tree), where it is installed, or
/// where the program was built. FileError if it is nowhere.
fs::path report_script() {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::vector<fs::path> places = {folder / "analysis", folder / "../../analysis",
                                        folder / "../share/rarefact/analysis", RAREFACT_ANALYSIS_FOLDER};
  for (const fs::path& place : places) {
    if (fs::exists(place / "report.py", ignored)) return place / "report.py";
  }
  throw FileError(fmt::format("analysis/report.py, which draws the report, is not in {}",
                              fs::weakly_canonical(places.back()).string()));
}

/// Runs a program to its end and gives its exit code; `text` is what it wrote. It ends with this process, however that
/// ends. FileError where the system starts none.
int run_to_end(const std::vector<std::string>& words, std::string& text) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto fail = [&] { throw FileError(fmt::format("{}: {}", words.front(), std::strerror(errno))); };
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail();
  const pid_t self = ::getpid(), child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // If this process ended before that, nobody tells.
    if (::getppid() == self && ::dup2(ends[1], STDOUT_FILENO) >= 0 && ::dup2(ends[1], STDERR_FILENO) >= 0)
      ::execvp(arguments[0], arguments.data());
    ::_exit(errno == EACCES ? 126 : 127);
  }
  if (child < 0) fail();
  ::close(ends[1]);
  FILE* output = ::fdopen(ends[0], "r");
  std::array<char, 4096> block;
  while (const std::size_t got = ::fread(block.data(), 1, block.size(), output))
    text.append(block.data(), got);
  ::fclose(output);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ExitCode run_report(const Arguments& arguments, const Streams& streams) {
  const std::string output = arguments.text("output", "report.html");
  if (const std::string objection = name_objection(output); !objection.empty())
    throw InputError("--output: " + objection);
  const fs::path script = report_script();
  // A Python of one's own may be the first that is found, and Debian's packages belong to Debian's Python
  // alone.
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    std::vector<std::string> words = {python, "-B", script.string(), "--output=" + output, "--"};
    words.insert(words.end(), arguments.operands.begin(), arguments.operands.end());
    std::string text;
    const int code = run_to_end(words, text);
    if (std::find(cannot.begin(), cannot.end(), code) != cannot.end()) continue;
    streams.err << text;
    if (code == 0 || code == 4) streams.out << "report: " << output << "\n";
    if (code == 0 || code == 2 || code == 3 || code == 4) return static_cast<ExitCode>(code);
    throw FileError(fmt::format("{} ended with {}", script.string(), code));
  }
  throw FileError(
      "the report is drawn by Python: python3 with h5py, numpy and matplotlib is needed (Debian: apt-get "
      "install python3-h5py python3-numpy python3-matplotlib)");
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .summary = "one HTML page about results, with figures",
      .description =
          "Writes one HTML file that can be mailed: of every result file the experiment, where it comes "
          "from, a table and the figures that its numbers allow; of a report of rarefact verify -o the "
          "verdicts with their numbers and curves. The page needs no network and no script and can be read "
          "on a phone; equal files give equal bytes. It is drawn by Python with h5py, numpy and matplotlib; "
          "single figures, for a paper, are drawn by the scripts of analysis/.\n"
          "A file that cannot be read is named and left out; the exit code is 4 then, and 2 if nothing is "
          "left.",
      .operands = {.name = "RESULT.h5",
                   .meaning = "result files of rarefact run, reports of rarefact verify",
                   .required = true,
                   .repeatable = true},
      .options = {{"output", "FILE.html", "the page; default: report.html", 'o'}},
      .examples = {"rarefact report results/starter.h5",
                   "rarefact report results/*.h5 verdicts.h5 -o report.html"},
      .run = run_report};
}

}  // namespace rarefact
