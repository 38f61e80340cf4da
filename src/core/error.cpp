#include <utility>

#include "core/text.hpp"
#include "core/transform.hpp"

namespace rarefact {

Problem problem_about(std::string key, std::string message) {
  return {.message = std::move(message), .key = std::move(key)};
}

std::string to_string(const Problem& problem) {
  std::string where;
  if (!problem.file.empty()) {
    where = problem.file + ":";
    if (problem.line > 0) where += fmt::format("{}:{}:", problem.line, problem.column);
    where += " ";
  }
  return where + "error: " + problem.message + (problem.excerpt.empty() ? "" : "\n" + problem.excerpt);
}

static std::string lines_of(const std::vector<Problem>& problems) {
  return joined(mapped(problems, [](const Problem& problem) { return to_string(problem); }), "\n");
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(lines_of(problems)), problems_(std::move(problems)) {}

void raise(std::vector<Problem> problems) {
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace rarefact
