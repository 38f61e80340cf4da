#include <fmt/format.h>

#include "cli/json.hpp"
#include "cli/text_layout.hpp"
#include "core/transform.hpp"
#include "experiment/plan.hpp"
#include "io/array_file.hpp"
#include "optim/properties.hpp"
#include "rarefact/error.hpp"
#include "sim/resolve.hpp"

namespace rarefact {

namespace {

/// The properties of an optimizer before it runs.
struct ExplainedRule {
  std::string optimizer, direction;
  TextRows rows;
};

/// Resolves an experiment; problems get their positions, as in `run`.
Setup resolve_placed(const ExperimentPlan& plan, const Experiment& experiment) {
  try {
    return resolve(experiment, file_readers(experiment.base_directory));
  } catch (const InputError& error) {
    throw InputError(
        mapped(error.problems(), [&](const Problem& problem) { return plan.placed(0, problem); }));
  }
}

std::vector<ExplainedRule> explained_rules(const std::string& file) {
  const ExperimentPlan plan = read_plan(file, {});
  const Experiment experiment = plan.point(0).experiment;
  const Setup setup = resolve_placed(plan, experiment);
  std::vector<ExplainedRule> rules;
  for (std::size_t o = 0; o < setup.engines.size(); ++o) {
    const OptimizerChoice& choice = experiment.optimizers[o];
    const OptimizerRow& row = optimizer_row(choice.rule);
    const RuleProperties properties = properties_of(row, choice.parameters);
    const Reduction& reduction = setup.engines[o].reduction;
    const EngineQuery query{experiment, setup.spectrum, choice};
    const std::string engine =
        fmt::format("{} {} because {}", reduction.exact() ? "exact on" : "certified on",
                    name_of(reduction.engine()), embeddings_text(query, reduction));
    const ParameterValues definitions =
        row.definitions ? row.definitions(choice.parameters) : ParameterValues();
    rules.push_back({choice.name,
                     definitions.has("direction") ? definitions.text("direction") : row.formula,
                     {{"answers", properties.answers},
                      {"queries", properties.queries},
                      {"columns", properties.columns},
                      {"scale", properties.scale},
                      {"engine", engine}}});
    for (const auto& [key, value] : definitions.all()) {
      if (key != "direction") rules.back().rows.emplace_back(key, to_toml(value));
    }
  }
  return rules;
}

}  // namespace

std::string explained_file(const std::string& file) {
  std::string text;
  for (const ExplainedRule& rule : explained_rules(file))
    text += fmt::format("{}{}   {}\n{}", text.empty() ? "" : "\n", rule.optimizer, rule.direction,
                        two_columns(rule.rows));
  return text;
}

Json explained_file_json(const std::string& file) {
  Json json = Json::array();
  for (const ExplainedRule& rule : explained_rules(file)) {
    Json& row = json.emplace_back(Json{{"optimizer", rule.optimizer}, {"direction", rule.direction}});
    for (const auto& [name, text] : rule.rows) row[name] = text;
  }
  return json;
}

}  // namespace rarefact
