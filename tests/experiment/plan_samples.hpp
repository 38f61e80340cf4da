#pragma once

// A file whose sweep is still to be written, and checks of every plan.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiment/plan.hpp"
#include "experiment/samples.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

inline const std::string base = R"(name = "plan"
[classes]
spectrum = "grouped_power_law"
groups = 4
group_size = 6
exponent = 1
[run]
steps = 3
[[optimizer]]
rule = "gd"
step_size = 1
[[optimizer]]
name = "slow muon"
rule = "muon"
step_size = 0.5
)";

/// The line of the first key in [sweep], which follows the base text.
inline const int first_line = static_cast<int>(std::count(base.begin(), base.end(), '\n')) + 2;

inline ExperimentPlan plan_of(const std::string& sweep, const std::vector<std::string>& overrides = {}) {
  return parse_plan(base + "[sweep]\n" + sweep, "t.toml", overrides);
}

/// The names of the axes.
inline std::vector<std::string> keys_of(const ExperimentPlan& plan) {
  std::vector<std::string> keys;
  for (const SweepAxis& axis : plan.axes()) keys.push_back(axis.name());
  return keys;
}

inline std::vector<Problem> problems_of(const std::string& text,
                                        const std::vector<std::string>& overrides = {}) {
  try {
    parse_plan(text, "t.toml", overrides);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

/// Of a sweep of this one line.
inline Problem only_problem(const std::string& line) {
  const auto problems = problems_of(base + "[sweep]\n" + line + "\n");
  for (const Problem& problem : problems) UNSCOPED_INFO(to_string(problem));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].file == "t.toml");
  CHECK(problems[0].line == first_line);
  return problems[0];
}

/// The plan read back from its own text has the same axes and the same points, and the same text again.
inline void check_round_trip(const ExperimentPlan& plan) {
  const std::string text = resolved_text(plan);
  INFO(text);
  const ExperimentPlan again = parse_plan(text, "t.toml");
  CHECK(resolved_text(again) == text);
  CHECK(keys_of(again) == keys_of(plan));
  REQUIRE(again.size() == plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const SweepPoint a = plan.point(i), b = again.point(i);
    CHECK(a.parameters == b.parameters);
    CHECK(a.experiment == b.experiment);
  }
}

}  // namespace rarefact
