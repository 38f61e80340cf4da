#pragma once

/// Errors, sorted by who must act on them. Every class maps to one exit code of the program.

#include <stdexcept>
#include <string>
#include <vector>

namespace rarefact {

/// Exit codes of the program (docs/commands.md lists them for users).
enum class ExitCode : int {
  done = 0,
  check_failed = 1,
  bad_input = 2,
  input_output = 3,
  damaged_result = 4,
  stopped_early = 75,
};

/// A mistake in what the user wrote. Line and column count from 1; 0 if there is none (command line).
struct Problem {
  std::string file = {};
  int line = 0;
  int column = 0;
  std::string message = {};  ///< with the hint
  std::string excerpt = {};  ///< lines that show the place; empty if line and column suffice
  std::string key = {};   ///< of the experiment, that it is about: "run.steps"; empty where it is about none
  std::string hint = {};  ///< the name that may have been meant
  bool missing = false;   ///< a required key, or the value of an expression, is missing
};

/// A problem with the value of a key of the experiment; the reader of the file adds line and column.
Problem problem_about(std::string key, std::string message);

/// "file:line:column: error: message" without unknown parts, followed by the excerpt.
std::string to_string(const Problem& problem);

/// Bad input, with all problems at once. Exit code 2; nothing has been written.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(std::string message)
      : InputError(std::vector<Problem>{{.message = std::move(message)}}) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// Throws InputError unless `problems` is empty.
void raise(std::vector<Problem> problems);

/// Input or output failed: a file that cannot be opened, a full disk. Exit code 3.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A result file that is damaged or incomplete. Exit code 4.
class DamagedResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rarefact
