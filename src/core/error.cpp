#include "rarefact/error.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace rarefact {

std::string to_string(const Problem& problem) {
  std::string where;
  if (!problem.file.empty()) {
    where = problem.file + ":";
    if (problem.line > 0) where += fmt::format("{}:{}:", problem.line, problem.column);
    where += " ";
  }
  return where + "error: " + problem.message;
}

namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += "\n";
    text += to_string(problem);
  }
  return text;
}

}  // namespace

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

}  // namespace rarefact
