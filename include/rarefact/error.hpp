#pragma once

/// What can go wrong, by who must act on it. Every class maps to one exit code of the program.

#include <stdexcept>
#include <string>
#include <vector>

namespace rarefact {

/// Exit codes of the program (docs/reference.md lists them for users).
enum class ExitCode : int {
  done = 0,
  check_failed = 1,
  bad_input = 2,
  input_output = 3,
  damaged_result = 4,
  stopped_early = 75,
};

/// One thing wrong with what the user wrote. Line and column are 1-based; 0 where there is none (command
/// line).
struct Problem {
  std::string file = {};
  int line = 0;
  int column = 0;
  std::string message = {};  ///< with the hint
  std::string excerpt = {};  ///< lines that show where it is; empty where line and column do
  std::string key = {};   ///< of the experiment, that it is about: "run.steps"; empty where it is about none
  std::string hint = {};  ///< the name that may have been meant
  bool missing = false;   ///< the key is required and not there
};

/// One with what stands behind a key of the experiment, wherever that is.
Problem problem_about(std::string key, std::string message);

/// "file:line:column: error: message", without the parts that are unknown; below it the excerpt.
std::string to_string(const Problem& problem);

/// Bad input: all its problems at once. Exit code 2; nothing has been written.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(std::string message)
      : InputError(std::vector<Problem>{{.message = std::move(message)}}) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// InputError where there are problems.
void raise(std::vector<Problem> problems);

/// The machine refused: a file that cannot be opened, a full disk. Exit code 3.
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
