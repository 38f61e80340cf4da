#pragma once

// The sample with answers.

#include "results/sample_result.hpp"

namespace rarefact {

/// Gives a run answers in so many groups, and measures of them.
inline void add_answers(Run& run, std::size_t groups, std::size_t steps) {
  AnswerGroups& answers = run.answers.emplace();
  const std::size_t classes = run.class_count.size();
  answers.query_count = 1e12;
  answers.answer_count = static_cast<double>(groups) * 7;
  answers.loss_floor = 0.25;
  answers.top1_floor = 0.125;
  for (std::size_t g = 0; g < groups; ++g) {
    answers.count.push_back(7);
    answers.probability.push_back(0.5 / static_cast<double>(g + 1));
    answers.fan_in.push_back(static_cast<double>(9 - g));
  }
  for (std::size_t c = 0; c < classes; ++c) {
    answers.class_fan_in.push_back(static_cast<double>(c) + 0.5);
    answers.class_answer.push_back(static_cast<double>(c % groups));
  }
  for (Trajectory& trajectory : run.trajectories) {
    for (std::size_t s = 0; s < steps; ++s) {
      trajectory.series["top1_error"].push_back(0.5 / static_cast<double>(s + 1));
      for (std::size_t g = 0; g < groups; ++g)
        trajectory.series["answer_error"].push_back(1 / static_cast<double>(1 + g + 10 * s));
    }
  }
}

/// The sample, whose runs have so many groups of answers; 0: none.
inline Result answered_result(std::size_t first, std::size_t second) {
  Result result = sample_result();
  result.variables.push_back({.name = "top1_error", .long_name = "top-1 error", .units = "1"});
  result.variables.push_back({.name = "answer_error",
                              .long_name = "error of the answer",
                              .units = "1",
                              .along = Along::answer_groups});
  for (std::size_t r = 0; r < 2; ++r) {
    const std::size_t groups = r == 0 ? first : second;
    if (groups > 0) add_answers(result.runs[r], groups, result.steps.size());
  }
  // As a file gives it back: what is no number in a run without answers is there.
  for (Run& run : result.runs) {
    for (Trajectory& trajectory : run.trajectories) {
      if (!run.answers) trajectory.series["top1_error"].assign(result.steps.size(), std::nan(""));
    }
  }
  return result;
}

}  // namespace rarefact
