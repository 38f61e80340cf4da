#include <fmt/format.h>

#include "cli/json.hpp"
#include "core/transform.hpp"
#include "experiment/plan.hpp"
#include "io/array_file.hpp"
#include "optim/properties.hpp"
#include "rarefact/error.hpp"
#include "sim/resolve.hpp"

namespace rarefact {

namespace {

/// Resolves an experiment; problems get their positions, as in `run`.
Setup resolve_placed(const ExperimentPlan& plan, const Experiment& experiment) {
  try {
    return resolve(experiment, file_readers(experiment.base_directory));
  } catch (const InputError& error) {
    throw InputError(
        mapped(error.problems(), [&](const Problem& problem) { return plan.placed(0, problem); }));
  }
}

}  // namespace

/// The properties of every optimizer of an experiment before it runs.
Json explained_file(const std::string& file) {
  const ExperimentPlan plan = read_plan(file, {});
  const Experiment experiment = plan.point(0).experiment;
  const Setup setup = resolve_placed(plan, experiment);
  Json rules = Json::array();
  for (std::size_t o = 0; o < setup.engines.size(); ++o) {
    const OptimizerChoice& choice = experiment.optimizers[o];
    const OptimizerRow& row = optimizer_row(choice.rule);
    const RuleProperties properties = properties_of(row, choice.parameters);
    const Reduction& reduction = setup.engines[o].reduction;
    const EngineQuery query{experiment, setup.spectrum, choice};
    const ParameterValues definitions =
        row.definitions ? row.definitions(choice.parameters) : ParameterValues();
    Json& rule = rules.emplace_back(
        Json{{"optimizer", choice.name},
             {"direction", definitions.has("direction") ? definitions.text("direction") : row.formula},
             {"answers", properties.answers},
             {"queries", properties.queries},
             {"columns", properties.columns},
             {"scale", properties.scale},
             {"engine", fmt::format("{} {} because {}", reduction.exact() ? "exact on" : "certified on",
                                    reduction.engine(), embeddings_text(query, reduction))}});
    for (const auto& [key, value] : definitions.all()) {
      if (key != "direction") rule[key] = to_toml(value);
    }
  }
  return rules;
}

}  // namespace rarefact
