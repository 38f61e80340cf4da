// What does not go together with the loss, or another table: keys that it does not have, and values that it does not take.

#include "experiment/read.hpp"

namespace rarefact {

namespace {

using Condition = bool (*)(const Experiment&);

bool squares(const Experiment& e) {
  return e.least_squares();
}
bool facts(const Experiment& e) {
  return e.least_squares() && !e.squares.gaussian();
}
bool gaussian(const Experiment& e) {
  return e.least_squares() && e.squares.gaussian();
}

/// A key that is wrong under a condition; of a value alone where `value` is one.
struct Misfit {
  std::string key;
  Condition wrong;
  std::string why;
  Condition value = nullptr;
};

const std::vector<Misfit>& misfits() {
  static const std::string of_facts = "is of queries that are facts, and data.queries is \"gaussian\"",
                           of_gaussian = "is of Gaussian queries, and data.queries is \"facts\"",
                           of_softmax = "is of the softmax, and the loss here is least_squares";
  static const std::vector<Misfit> rows = {
      {"model.measurement", facts, of_gaussian, [](const Experiment& e) { return e.squares.bilinear(); }},
      {"data.query_scale", gaussian, of_facts,
       [](const Experiment& e) { return e.squares.query_scale != 1; }},
      {"data.answer_noise", facts, of_gaussian,
       [](const Experiment& e) { return e.squares.answer_noise > 0; }},
      {"data.label_noise", gaussian, of_facts, [](const Experiment& e) { return e.label_noise > 0; }},
      {"data.noise_answers", squares, of_softmax,
       [](const Experiment& e) { return e.noise_answers != NoiseAnswers::uniform; }},
      {"data.recovered", squares, of_softmax, [](const Experiment& e) { return e.removes_recovered; }},
      {"answers.law", squares, of_softmax, [](const Experiment& e) { return e.answers.kind != "identity"; }},
      {"embedding.tied", [](const Experiment& e) { return e.query_embedding != e.answer_embedding; },
       "needs [embedding.query] and [embedding.answer] to be equal",
       [](const Experiment& e) { return e.tied; }},
      {"embedding.tied", [](const Experiment& e) { return e.answers.kind != "identity"; },
       "needs a query for every answer, and answers.law gives other ones",
       [](const Experiment& e) { return e.tied; }},
      {"target.directions", facts, of_gaussian},
      {"target.exponent", facts, of_gaussian},
      {"run.rho_epsilon", squares, of_softmax, [](const Experiment& e) { return e.rho_epsilon > 0; }},
      {"run.arithmetic", squares, of_softmax, [](const Experiment& e) { return e.single(); }},
      {"run.precision", squares, of_softmax, [](const Experiment& e) { return e.precision == 50; }},
  };
  return rows;
}

}  // namespace

void check_loss(const Part& part, const Setting& table, ProblemList& problems) {
  const Experiment& experiment = *part.experiment;
  for (const ExperimentKey* key : keys_of_table(part.table)) {
    const Setting* setting = table.get(key->last_name());
    if (key->of_squares && setting != nullptr && !experiment.least_squares())
      problems.add(
          setting->place,
          "{}: got {}, but this belongs to [model] loss = \"least_squares\", and the loss here is softmax",
          key->name(), description(*setting));
  }
  for (const Misfit& row : misfits()) {
    const Setting* setting = table.get(last_part(row.key));
    if (path_part(row.key) != part.table || setting == nullptr || !row.wrong(experiment)) continue;
    if (row.value == nullptr || row.value(experiment))
      problems.add(setting->place, "{}: got {}, but this {}", row.key, description(*setting), row.why);
  }
  const auto& search = part.optimizer != nullptr ? part.optimizer->search : std::nullopt;
  if (search && experiment.least_squares() && search->minimise.ends_with("error"))
    problems.add(
        table.get("step_size")->place,
        "optimizer.step_size: minimise is \"{}\", and least squares has no error; expected minimise = "
        "\"loss\" or \"excess_loss\"",
        search->minimise);
}

}  // namespace rarefact
