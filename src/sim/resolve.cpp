#include "sim/resolve.hpp"

#include <cmath>
#include <set>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "sim/class_rows.hpp"
#include "sim/comparison.hpp"
#include "sim/twin.hpp"

namespace rarefact {

namespace {

/// Exact runs shorter than this are not replaced by an approximation.
constexpr double short_run_seconds = 5;

/// Seconds for predicting, encoding and compressing a byte of the result.
constexpr double encoding_seconds = 1.2e-8;

/// Engines that need more are chosen only if there is no other. A constant, because the choice must not
/// depend on the machine.
constexpr double usual_memory_bytes = 16e9;

/// Trainings with less memory hardly use several threads.
constexpr double small_bytes = 4e6;

/// Longer runs (thirty years on two processors) are refused.
constexpr double longest_run_seconds = 2e9;

/// Why a run would not end; nullopt if it does.
std::optional<std::string> endless(const EngineQuery& query, const EngineChoice& choice) {
  const std::string why = why_single(query, choice.reduction.way);
  if (why.empty() || !query.experiment.many_steps() || choice.cost.seconds <= longest_run_seconds) return {};
  return fmt::format(
      "optimizer '{}': run.steps = {} updates one by one would take some {:.0g} years, and many at once are "
      "not made: {}",
      choice.optimizer, query.experiment.steps, choice.cost.seconds / 6.3e7, why);
}

/// The final number of quadrature nodes: as requested, or the first, or twice that for a tight tolerance.
std::int64_t usual_nodes(const Experiment& experiment) {
  constexpr double loose = 1e-6;
  return experiment.nodes.value_or(experiment.quadrature_tolerance < loose ? 2 * first_nodes : first_nodes);
}

/// The cost of one training; for a quadrature with the usual number of nodes.
EngineCost cost_of(const EngineQuery& query, const Reduction& reduction) {
  return training_cost(query, reduction, static_cast<double>(usual_nodes(query.experiment)));
}

/// The cost of a usual run: a quadrature is also trained on half as many nodes and, if doubled, on the first
/// and half of these. The factors of a product are not smooth in the rank, and doubling ends with all classes or the most
/// nodes.
EngineCost run_cost(const EngineQuery& query, const Reduction& reduction) {
  const Experiment& experiment = query.experiment;
  const auto trained = [&](std::int64_t nodes) {
    return training_cost(query, reduction, std::min(static_cast<double>(nodes), query.spectrum.classes));
  };
  std::int64_t nodes = usual_nodes(experiment);
  while (experiment.is_product() && !experiment.nodes && nodes < max_doubled_nodes &&
         static_cast<double>(nodes) < query.spectrum.classes)
    nodes *= 2;
  EngineCost cost = trained(nodes);
  if (why_single(query, reduction.way).empty()) ++cost.trainings;
  for (bool last = true; !reduction.exact(); nodes /= 2, last = false) {
    for (const std::int64_t number : {nodes, nodes / 2}) {
      if (last && number == nodes) continue;
      cost.seconds += trained(number).seconds;
      ++cost.trainings;
    }
    if (experiment.nodes || nodes <= first_nodes) break;
  }
  return cost;
}

bool usual(const EngineQuery& query, const Reduction& reduction) {
  return cost_of(query, reduction).bytes <= usual_memory_bytes;
}

/// True if storing all classes is cheaper than distinguishing sampled ones, because nearly all are sampled.
bool holds_less(const EngineQuery& query, const Reduction& reduction, const Reduction& other) {
  return query.experiment.sampled() && other.way == Way::symmetric &&
         cost_of(query, reduction).seconds < cost_of(query, other).seconds;
}

/// The possible engines of one optimizer.
struct Options {
  EngineQuery query;
  std::optional<Reduction> exact = {}, quadrature = {};
  std::vector<std::string> names = {};  ///< names of all possible engines
  std::string objections = {};          ///< why cheaper engines were not chosen
  std::set<std::string> reasons = {};   ///< the requirements in them

  /// True if an optimizer that is trained `runs` times should use quadrature.
  bool prefers_quadrature(double runs) const {
    if (!quadrature || !exact) return quadrature.has_value();
    if (!usual(query, *exact)) return true;
    if (query.experiment.classes.kind == ClassRule::Kind::all) return false;
    const double seconds = cost_of(query, *exact).seconds;
    return runs * seconds > short_run_seconds && seconds > cost_of(query, *quadrature).seconds;
  }
};

Options options_of(const EngineQuery& query) {
  Options options{query};
  const std::string& requested = query.experiment.engine;
  const bool automatic = requested == "auto";
  std::vector<std::pair<std::vector<std::string>, std::string>> objections;  // engines and the reason
  for (const EngineRow& engine : engine_catalogue()) {
    Refusal refusal;  // of the last way that is for the loss, if all are refused
    const auto way = std::ranges::find_if(engine.ways, [&](Way possible) {
      const Refusal found = first_refusal(query, possible);
      if (!refusal.requirement || !found.requirement || !found.requirement->of_loss) refusal = found;
      return found.requirement == nullptr;
    });
    if (way == engine.ways.end()) {
      const bool other_loss = refusal.requirement->of_loss;
      if (automatic ? options.exact.has_value() || other_loss : requested != engine.name) continue;
      options.reasons.insert(refusal.requirement->id);
      auto known = std::find_if(objections.begin(), objections.end(),
                                [&](const auto& item) { return item.second == refusal.why; });
      if (known == objections.end()) known = objections.insert(known, {{}, refusal.why});
      known->first.push_back(engine.name);
      continue;
    }
    options.names.push_back(engine.name);
    if (!automatic && requested != engine.name) continue;
    const Reduction reduction = form_of(query, *way);
    if (!reduction.exact()) {
      options.quadrature = reduction;
    } else if (!options.exact || (!usual(query, *options.exact) && usual(query, reduction))) {
      options.exact = reduction;
    } else if (holds_less(query, reduction, *options.exact)) {
      objections.push_back({{options.exact->engine()}, "nearly every class is sampled"});
      options.exact = reduction;
    }
  }
  for (const auto& [engines, text] : objections) {
    options.objections += options.objections.empty() ? "" : "; ";
    options.objections += automatic ? fmt::format("not {}: {}", joined(engines, " or "), text) : text;
  }
  return options;
}

EngineChoice chosen(const OptimizerChoice& optimizer, const Options& options) {
  const Experiment& experiment = options.query.experiment;
  const bool automatic = experiment.engine == "auto";
  const std::string needed = precision_of(experiment).reason;
  const std::string why = !needed.empty() ? needed : automatic ? options.objections : "set by run.engine";
  const bool quadrature = options.prefers_quadrature(run_count(optimizer));
  const Reduction& reduction = quadrature ? *options.quadrature : *options.exact;
  EngineChoice choice{optimizer.name,
                      reduction,
                      reason_text(options.query, reduction, why),
                      options.objections,
                      run_cost(options.query, reduction),
                      {}};
  choice.cost.seconds = choice.cost.begun + choice.cost.seconds * run_count(optimizer);
  const bool few = one_may_be_enough(experiment, is_thin(options.query, reduction)) &&
                   !options.query.symmetries.needs_gaps;
  if (choice.cost.digits)
    choice.cost.seconds += (few ? usual_repetitions : rounding_repetitions) * choice.cost.repetition;
  if (choice.cost.compares_epsilon) choice.cost.seconds += choice.cost.repetition;
  if (const double twin = twin_seconds(options.query, reduction, choice.cost); twin > 0)
    choice.cost.seconds += twin, ++choice.cost.trainings;
  if (quadrature && automatic && options.exact && usual(options.query, *options.exact))
    choice.fallback = options.exact;
  // Factors are not smooth in the rank, unless all singular values move alike: the most nodes miss the tolerance if they are
  // not all classes.
  if (choice.fallback && experiment.is_product() && options.query.work.polar_factors == 0 &&
      options.query.spectrum.classes > max_doubled_nodes) {
    const EngineCost exact = run_cost(options.query, *choice.fallback);
    choice.cost.seconds += exact.seconds * run_count(optimizer);
    choice.cost.bytes = std::max(choice.cost.bytes, exact.bytes);
  }
  return choice;
}

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

/// Throws InputError, with the key.
void require_bands(const Experiment& experiment, const Spectrum& spectrum) {
  try {
    bands_of(experiment, spectrum);
  } catch (const InputError& error) {
    raise({problem_about("run.bands", error.problems().front().message)});
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

Setup resolve(const Experiment& experiment, const FileReaders& readers) {
  Setup setup;
  setup.spectrum = load_problem(experiment, readers);
  raise(problems_of({experiment, setup.spectrum, experiment.optimizers.front()}, class_requirements()));
  require_bands(experiment, setup.spectrum);
  look_at_arrays(experiment, setup.spectrum, readers);
  setup.attempts = attempts_of(experiment, setup.spectrum);
  setup.steps = recorded_steps(experiment.record, experiment.steps);
  std::vector<Options> options;
  std::vector<Problem> problems;
  for (const OptimizerChoice& optimizer : experiment.optimizers) {
    const EngineQuery query{experiment, setup.spectrum, optimizer};
    for (const Problem& problem : problems_of(query, rule_requirements()))
      problems.push_back(problem_about(rule_key(optimizer.name),
                                       fmt::format("optimizer '{}': {}", optimizer.name, problem.message)));
    options.push_back(options_of(query));
    if (!options.back().exact && !options.back().quadrature) {
      const std::set<std::string>& reasons = options.back().reasons;
      const auto& names = options.back().names;
      const bool of_key = reasons.size() == 1 && find_key(*reasons.begin()) != nullptr;
      problems.push_back(problem_about(
          of_key ? *reasons.begin() : rule_key(optimizer.name),
          names.empty() && experiment.engine == "auto"
              ? fmt::format("no engine can run optimizer '{}': {}", optimizer.name, options.back().objections)
              : fmt::format("optimizer '{}' cannot use engine '{}': {}; {}", optimizer.name,
                            experiment.engine, options.back().objections,
                            names.empty() ? "no engine can"
                                          : "use " + in_words(names, " or ") + ", or omit run.engine")));
    }
    setup.runs += run_count(optimizer);
  }
  raise(std::move(problems));
  problems.clear();
  for (std::size_t o = 0; o < options.size(); ++o) {
    setup.engines.push_back(chosen(experiment.optimizers[o], options[o]));
    const EngineCost& cost = setup.engines.back().cost;
    setup.seconds += cost.seconds;
    if (cost.bytes < small_bytes)
      setup.longest = std::max(setup.longest, cost.seconds / run_count(experiment.optimizers[o]));
    if (const auto message = endless(options[o].query, setup.engines.back()))
      problems.push_back(problem_about("run.steps", *message));
  }
  raise(std::move(problems));
  setup.recorded =
      recorded_bytes(experiment, setup.spectrum, mapped(setup.engines, &EngineChoice::reduction));
  setup.seconds += encoding_seconds * setup.recorded.result;
  return setup;
}

}  // namespace rarefact
