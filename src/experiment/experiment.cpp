#include "experiment/experiment.hpp"

#include <algorithm>
#include <cmath>

namespace rarefact {

namespace {

/// The integers nearest to 10^(i/n), i = 0, 1, 2 ...: all small ones, then about n per decade.
std::vector<std::int64_t> log_steps(std::int64_t a_decade, std::int64_t last_step) {
  std::vector<std::int64_t> steps = {0};
  for (double i = 0;; ++i) {
    const double step = std::round(std::pow(10.0, i / static_cast<double>(a_decade)));
    if (step >= static_cast<double>(last_step)) break;
    steps.push_back(static_cast<std::int64_t>(step));
  }
  return steps;
}

std::vector<std::int64_t> regular_steps(std::int64_t every, std::int64_t last_step) {
  std::vector<std::int64_t> steps;
  // Written so that the sum cannot overflow.
  for (std::int64_t step = 0;; step += every) {
    steps.push_back(step);
    if (step > last_step - every) return steps;
  }
}

}  // namespace

std::vector<std::int64_t> recorded_steps(const RecordRule& rule, std::int64_t last_step) {
  const bool some = rule.kind == RecordRule::Kind::every;
  std::vector<std::int64_t> steps = rule.kind == RecordRule::Kind::list ? rule.steps
                                    : rule.kind == RecordRule::Kind::log
                                        ? log_steps(rule.log, last_step)
                                        : regular_steps(some ? rule.every : 1, last_step);
  steps.push_back(0);
  steps.push_back(last_step);
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace rarefact
