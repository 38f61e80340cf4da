#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/inputs.hpp"
#include "sim/resolve.hpp"

namespace rarefact {

double Setup::states() const {
  double count = 0;
  for (const Attempt& attempt : attempts) count += engines[attempt.optimizer].cost.trainings;
  for (const EngineChoice& choice : engines) count += choice.cost.may_repeat ? rounding_repetitions : 0;
  return count;
}

double Setup::memory_bytes(int threads) const {
  constexpr double writing = 4;  // copies of the series while a result is encoded and verified
  const auto optimizers = static_cast<double>(engines.size()), at_once = std::min<double>(threads, runs);
  std::vector<double> trainings;
  double repetitions = 0;
  for (const EngineChoice& choice : engines) {
    trainings.push_back(choice.cost.bytes);
    if (choice.cost.may_repeat) repetitions = rounding_repetitions;
  }
  // One run per optimizer is kept, and those of a search that are in progress.
  const double kept = optimizers + std::max(runs > optimizers ? at_once : 0, at_once * repetitions);
  std::sort(trainings.rbegin(), trainings.rend());
  trainings.resize(static_cast<std::size_t>(at_once), trainings.front());
  const double training = std::accumulate(trainings.begin(), trainings.end(), 0.0);
  return recorded.rows +
         std::max({training + (kept + states()) * recorded.measured + at_once * recorded.nodes,
                   recorded.result + std::min(at_once, optimizers) * recorded.predictions,
                   writing * recorded.result});
}

std::vector<Problem> memory_problems(const Experiment& experiment, const Setup& setup, double limit,
                                     int threads) {
  std::vector<Problem> problems;
  const auto refuse = [&](std::string key, std::string message) {
    problems.push_back(problem_about(std::move(key), std::move(message)));
  };
  for (const EngineChoice& choice : setup.engines) {
    if (choice.cost.bytes <= limit) continue;
    const Spectrum& spectrum = setup.spectrum;
    const std::string classes = spectrum.groups ? fmt::format(" in {} groups", spectrum.groups->size())
                                : experiment.classes.kind == ClassRule::Kind::all
                                    ? ", of which run.classes asks for all"
                                    : "";
    const bool sampled = experiment.sampled() && choice.reduction.way == Way::symmetric;
    refuse(rule_key(choice.optimizer),
           fmt::format(
               "optimizer '{}' on engine '{}' would take {} of memory (allowed: {}) for {}{}{}{}",
               choice.optimizer, choice.reduction.engine(), bytes_text(choice.cost.bytes), bytes_text(limit),
               sampled ? fmt::format("the classes in {:g} sampled pairs", all_draws(experiment))
               : spectrum.answers
                   ? fmt::format("{:g} queries and {:g} answers", spectrum.classes, spectrum.answer_count())
                   : fmt::format("K = {:g} classes", spectrum.classes),
               sampled ? "" : classes, choice.objections.empty() ? "" : "; ", choice.objections));
  }
  if (setup.recorded.result > limit) {
    refuse(
        "run.record",
        fmt::format(
            "the recorded results alone would take {} of memory (allowed: {}); record fewer steps (run.record) or class groups "
            "(run.classes = \"groups\", or a list such as [1, \"last\"])",
            bytes_text(setup.recorded.result), bytes_text(limit)));
  }
  if (const double bytes = setup.memory_bytes(threads); problems.empty() && bytes > limit) {
    refuse(
        "run.record",
        fmt::format(
            "the {} and what is recorded of them would together take {} of memory (allowed: {}); record less (run.record, "
            "run.classes){}",
            setup.engines.size() == 1 ? "optimizer" : fmt::format("{} optimizers", setup.engines.size()),
            bytes_text(bytes), bytes_text(limit),
            setup.runs > 1 ? ", give them experiments of their own, or use fewer threads (--jobs)" : ""));
  }
  return problems;
}

}  // namespace rarefact
