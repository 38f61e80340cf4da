#include "sim/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/text.hpp"
#include "experiment/precision.hpp"
#include "model/answer_law.hpp"
#include "model/quadrature_rule.hpp"
#include "rarefact/error.hpp"
#include "sim/fast_forward.hpp"
#include "sim/predict.hpp"

namespace rarefact {

namespace {

/// Exact runs shorter than this are not replaced by an approximation.
constexpr double short_run_seconds = 1;

/// Engines that need more are chosen only if there is no other. A constant, because the choice must not
/// depend on the machine.
constexpr double usual_memory_bytes = 16e9;

/// Smallest ratio of entries of a residual that is safely above the smallest double.
constexpr double min_entry = 1e-303;

/// Thirty years; longer runs are refused.
constexpr double longest_run_seconds = 1e9;

/// Least label noise that is distinguished from 0.
constexpr double min_noise = 1e-300;

double queries_of_several_answers(const Spectrum& spectrum) {
  double several = 0;
  if (!spectrum.answers || !spectrum.answers->units) return several;
  for (const ComponentGroup& unit : spectrum.answers->units->groups) {
    for (const QueryType& query : unit.queries) {
      const auto& first = query.answers.front();
      const bool one = query.answers.size() == 1 && unit.answer_twins[first.type] == 1;
      if (!one) several += unit.count * query.twins;
    }
  }
  return several;
}

/// Why an embedding cannot exist for K classes, even if the run does not need its matrix; empty if it can.
/// `name` is "query" or "answer"; `alone`: every class has its own answer.
std::string impossible_embedding(const Component& side, const char* name, double classes, bool alone) {
  const EmbeddingRow& row = embedding_row(side.kind);
  if (row.block) {
    const Index size = rotation_block(side.parameters, name).rows();
    if (std::fmod(classes, static_cast<double>(size)) != 0) {
      return fmt::format(
          "{} embedding '{}' has blocks of {} classes, and {:.17g} classes are no multiple of it", name,
          side.kind, size, classes);
    }
  }
  if (row.orthonormal && row.dimension(side.parameters, classes) < classes) {
    return fmt::format(
        "{} embedding '{}' has dimension {:g}, fewer than the {:.17g} classes that are to be orthonormal",
        name, side.kind, row.dimension(side.parameters, classes), classes);
  }
  if (row.clustered && alone) {
    return fmt::format(
        "embedding.{}.kind: clustered makes what is of one unit similar, and without [answers] every {} is a unit of its own; "
        "expected another kind, such as orthogonal",
        name, name);
  }
  return "";
}

std::vector<Problem> impossible_classes(const Experiment& experiment, const Spectrum& spectrum) {
  std::vector<Problem> problems;
  const double classes = spectrum.answer_count();
  if (const double several = experiment.rho_epsilon > 0 ? queries_of_several_answers(spectrum) : 0;
      several > 0) {
    problems.push_back(problem_about(
        "run.rho_epsilon",
        fmt::format(
            "run.rho_epsilon: ϱ is of queries that have one answer each, of which p̂ may come near 1; of "
            "{:g} queries {:g} have several answers; expected 0",
            spectrum.classes, several)));
  }
  for (const auto& [side, name, columns] :
       {std::tuple{&experiment.query_embedding, "query", spectrum.classes},
        std::tuple{&experiment.answer_embedding, "answer", classes}}) {
    const std::string objection = impossible_embedding(*side, name, columns, !spectrum.answers);
    if (!objection.empty())
      problems.push_back(problem_about(fmt::format("embedding.{}.kind", name), objection));
  }
  for (const ClassAt& at : experiment.classes.list) {
    if (at.kind == ClassAt::Kind::rank && at.value > spectrum.classes)
      problems.push_back(problem_about(
          "run.classes",
          fmt::format("run.classes: got class {:.17g}; expected 1 to {:.17g}", at.value, spectrum.classes)));
  }
  // Even if α/K fits the exponents of the computation, L* is stored as a double.
  const double least = precision_of(experiment).underflows ? std::max(1.0, classes * 1e-8) : 1;
  if (experiment.label_noise > 0 && experiment.label_noise < least * min_noise) {
    problems.push_back(problem_about(
        "data.label_noise",
        fmt::format(
            "data.label_noise = {:g} is too small beside 1: with K = {:g} classes expected 0 or at least "
            "{:g}, so that doubles hold what falls to each answer",
            experiment.label_noise, classes, least * min_noise)));
  }
  return problems;
}

/// Signs, ratios and polar factors depend on the smallest entries of the gradient as much as on the largest:
/// p_l/K of the rarest class must not underflow relative to the largest p_l. In a sample the least weight of
/// a query is one draw.
std::optional<std::string> underflow(const Experiment& experiment, const OptimizerChoice& optimizer,
                                     const Spectrum& spectrum) {
  if (experiment.sampled() || !precision_of(experiment).underflows) return {};
  if (!optimizer_row(optimizer.rule).symmetries_of(optimizer.parameters).amplifies_small_entries) return {};
  double rarest, likeliest = 1;
  if (spectrum.groups) {
    const auto [least, most] =
        std::minmax_element(spectrum.groups->probability.begin(), spectrum.groups->probability.end());
    rarest = *least;
    likeliest = *most;
  } else {
    std::tie(rarest, likeliest) = query_probabilities(*spectrum.law);
  }
  const double log_entry = std::log(rarest / likeliest) - std::log(spectrum.answer_count());
  if (!(log_entry < std::log(min_entry))) return {};
  return fmt::format(
      "optimizer '{}': the gradient's entries span a factor 1e{:.0f} (K times the ratio of the largest to the "
      "least class probability), and {} needs the smallest as much as the largest; doubles hold 1e{:.0f}",
      optimizer.name, -log_entry / std::log(10.0), optimizer.rule, -std::log10(min_entry));
}

/// Why a run would not end; nullopt if it does.
std::optional<std::string> endless(const EngineQuery& query, const EngineChoice& choice) {
  const std::string why = why_single(query, choice.reduction.way);
  if (why.empty() || !query.experiment.many_steps() || choice.cost.seconds <= longest_run_seconds) return {};
  return fmt::format(
      "optimizer '{}': run.steps = {} updates one by one would take some {:.0g} years, and many at once are "
      "not made: {}",
      choice.optimizer, query.experiment.steps, choice.cost.seconds / 3.15e7, why);
}

/// The cost of one training; for a quadrature with the requested number of nodes, or the usual final one.
EngineCost cost_of(const EngineQuery& query, const Reduction& reduction) {
  const auto nodes = static_cast<double>(query.experiment.nodes.value_or(2 * first_nodes));
  return training_cost(query, reduction, nodes);
}

/// The cost of a run: a quadrature is also trained on half as many nodes and, if they are doubled, on the
/// first ones.
EngineCost run_cost(const EngineQuery& query, const Reduction& reduction) {
  EngineCost cost = cost_of(query, reduction);
  if (reduction.exact()) return cost;
  const auto& nodes = query.experiment.nodes;
  cost.seconds +=
      training_cost(query, reduction, static_cast<double>(nodes.value_or(2 * first_nodes) / 2)).seconds;
  if (!nodes) cost.seconds += training_cost(query, reduction, static_cast<double>(first_nodes / 2)).seconds;
  return cost;
}

bool usual(const EngineQuery& query, const Reduction& reduction) {
  return cost_of(query, reduction).bytes <= usual_memory_bytes;
}

/// Whether storing all classes is cheaper than distinguishing the sampled ones, as if nearly all are sampled.
bool holds_less(const EngineQuery& query, const Reduction& reduction, const Reduction& other) {
  return query.experiment.sampled() && other.way == Way::symmetric &&
         cost_of(query, reduction).compared < cost_of(query, other).compared;
}

/// The possible engines of one optimizer.
struct Options {
  EngineQuery query;
  std::optional<Reduction> exact = {}, quadrature = {};
  std::vector<std::string> names = {};  ///< names of all possible engines
  std::string objections = {};          ///< why cheaper engines were not chosen

  /// Of an optimizer that is trained `runs` times.
  bool prefers_quadrature(double runs) const {
    if (!quadrature || !exact) return quadrature.has_value();
    if (!usual(query, *exact)) return true;
    if (query.experiment.classes.kind == ClassRule::Kind::all) return false;
    const double seconds = cost_of(query, *exact).compared;
    return runs * seconds > short_run_seconds && seconds > cost_of(query, *quadrature).compared;
  }
};

Options options_of(const EngineQuery& query) {
  Options options{query};
  const std::optional<Engine>& wanted = query.experiment.engine;
  std::vector<std::pair<std::vector<std::string>, std::string>> objections;  // engines and the reason
  for (std::size_t i = 0; i < engine_names.size(); ++i) {
    const auto engine = static_cast<Engine>(i);
    const ReductionOrRefusal outcome = reduce(query, engine);
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) {
      const bool other_loss = refusal->requirement->of_loss;
      if (wanted ? wanted != engine : options.exact.has_value() || other_loss) continue;
      const std::string* objection = &refusal->why;
      auto known = std::find_if(objections.begin(), objections.end(),
                                [&](const auto& item) { return item.second == *objection; });
      if (known == objections.end()) known = objections.insert(known, {{}, *objection});
      known->first.push_back(name_of(engine));
      continue;
    }
    options.names.push_back(name_of(engine));
    if (wanted && wanted != engine) continue;
    const Reduction& reduction = std::get<Reduction>(outcome);
    if (!reduction.exact()) {
      options.quadrature = reduction;
    } else if (!options.exact || (!usual(query, *options.exact) && usual(query, reduction))) {
      options.exact = reduction;
    } else if (holds_less(query, reduction, *options.exact)) {
      objections.push_back({{name_of(options.exact->engine())}, "samples show nearly every class"});
      options.exact = reduction;
    }
  }
  for (const auto& [engines, text] : objections)
    options.objections +=
        fmt::format("{}not {}: {}", options.objections.empty() ? "" : "; ", joined(engines, " or "), text);
  return options;
}

EngineChoice chosen(const OptimizerChoice& optimizer, const Options& options) {
  const Experiment& experiment = options.query.experiment;
  const bool automatic = !experiment.engine;
  const std::string& needed = precision_of(experiment).reason;
  const std::string why = !needed.empty() ? needed : automatic ? options.objections : "as asked";
  const bool quadrature = options.prefers_quadrature(run_count(optimizer));
  const Reduction& reduction = quadrature ? *options.quadrature : *options.exact;
  EngineChoice choice{optimizer.name,
                      reduction,
                      reason_text(options.query, reduction, why),
                      options.objections,
                      run_cost(options.query, reduction),
                      {}};
  choice.cost.seconds *= run_count(optimizer);
  if (choice.cost.digits)
    choice.cost.seconds += rounding_repetitions * cost_of(options.query, reduction).repetition;
  if (quadrature && automatic && options.exact && usual(options.query, *options.exact))
    choice.fallback = options.exact;
  return choice;
}

}  // namespace

double Setup::memory_bytes(int threads) const {
  std::vector<double> trainings;
  int repetitions = 0;
  for (const EngineChoice& choice : engines) {
    trainings.push_back(choice.cost.bytes);
    if (choice.cost.digits) repetitions = rounding_repetitions;
  }
  return peak_bytes(std::move(trainings), runs, repetitions, recorded, threads);
}

Setup resolve(const Experiment& experiment, const FileReaders& readers) {
  Setup setup;
  setup.spectrum = learned(experiment, readers);
  raise(impossible_classes(experiment, setup.spectrum));
  look_at_embeddings(experiment, setup.spectrum, readers);
  setup.attempts = attempts_of(experiment, setup.spectrum);
  setup.steps = recorded_steps(experiment.record, experiment.steps);
  std::vector<Options> options;
  std::vector<Problem> problems;
  for (const OptimizerChoice& optimizer : experiment.optimizers) {
    if (const auto message = underflow(experiment, optimizer, setup.spectrum))
      problems.push_back(problem_about(rule_key(optimizer.name), *message));
    options.push_back(options_of({experiment, setup.spectrum, optimizer}));
    if (!options.back().exact && !options.back().quadrature) {
      problems.push_back(
          problem_about(rule_key(optimizer.name),
                        fmt::format("optimizer '{}' cannot run on engine '{}': {}; engines that can: {}",
                                    optimizer.name, name_of(experiment.engine), options.back().objections,
                                    options.back().names.empty() ? "none" : joined(options.back().names))));
    }
    setup.runs += run_count(optimizer);
  }
  raise(std::move(problems));
  problems.clear();
  for (std::size_t o = 0; o < options.size(); ++o) {
    setup.engines.push_back(chosen(experiment.optimizers[o], options[o]));
    setup.seconds += setup.engines.back().cost.seconds;
    if (const auto message = endless(options[o].query, setup.engines.back()))
      problems.push_back(problem_about("run.steps", *message));
  }
  raise(std::move(problems));
  std::vector<Reduction> reductions;
  for (const EngineChoice& choice : setup.engines) reductions.push_back(choice.reduction);
  setup.recorded = recorded_bytes(experiment, setup.spectrum, reductions);
  return setup;
}

}  // namespace rarefact
