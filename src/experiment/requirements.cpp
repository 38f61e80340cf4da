#include "experiment/requirements.hpp"

#include <boost/algorithm/string/replace.hpp>

#include "experiment/step_sizes.hpp"

namespace rarefact {

const std::vector<EngineRow>& engine_catalogue() {
  static const std::vector<EngineRow> rows = {
      {{"modes", "one number for each group of modes, for least squares where every class is a scalar",
        "O(M) per step for M groups"},
       {Way::modes}},
      {{"columns",
        "two numbers for each class group; under an answer law one for every different π in a column",
        "O(M)"},
       {Way::columns}},
      {{"symmetric", "the M x M entries between class groups, or between the types of answers and of queries",
        "O(M³), independent of K"},
       {Way::symmetric}},
      {{"quadrature",
        "a few dozen nodes that represent all distinct classes, with an estimated error, as columns or "
        "symmetric",
        "as columns or symmetric with the nodes as groups, independent of K"},
       {Way::node_columns, Way::node_symmetric}},
      {{"dense", "every entry of W", "O(K² d)"}, {Way::dense}},
  };
  return rows;
}

const EngineRow& engine_of(Way way) {
  for (const EngineRow& row : engine_catalogue())
    if (std::ranges::count(row.ways, way) > 0) return row;
  throw std::logic_error("a leap is on top of another way");
}

Symmetries symmetries_in(const Experiment& experiment, const OptimizerChoice& choice) {
  Symmetries rule = optimizer_row(choice.rule).symmetries_of(choice.parameters);
  if (experiment.in_own_coordinates()) rule.answers_rotate = rule.queries_rotate = false;
  if (experiment.train_gains) rule.queries_rotate = false;
  return rule;
}

const AlikeAnswers* EngineQuery::alike() const {
  const bool exact = experiment.loss->of_outputs && !experiment.sampled() && experiment.starts_at_zero();
  return exact && answers() && answers()->alike ? &*answers()->alike : nullptr;
}

bool EngineQuery::along_answers() const {
  return alike() && symmetries.answers_rotate && !symmetries.reads_task &&
         (symmetries.keeps_wrong_ties || (alike()->same && rule.name == "muon"));
}

bool EngineQuery::by_signs() const {
  // The sign of an entry does not depend on p unless something beside p(w - π) is in the gradient.
  return alike() && experiment.squares.query_noise == 0 &&
         !(choice.coupled() && decays(choice, experiment, spectrum)) &&
         (rule.name == "signgd" || rule.name == "tra_signgd");
}

double EngineQuery::walked_shares(double step_size) const {
  return alike()->above(step_size * experiment.squares.query_scale);
}

Index EmbeddedSide::block() const {
  if (drops_out() || !embedding.block) return 1;
  return rotation_block(chosen.parameters, key).rows();
}

namespace {

Refusal refusal(const EngineQuery& query, Way ruled_out, Way layout) {
  const Case in_way{query, layout};
  for (const Requirement& row : requirements()) {
    if (!row.rules_out.has(ruled_out)) continue;
    const std::string why = row.why(in_way);
    if (!why.empty()) return {&row, why};
  }
  return {};
}

}  // namespace

std::string filled(std::string sentence, const Wording& words) {
  for (const Word& word : words) boost::replace_all(sentence, "{" + word.name + "}", word.text);
  return sentence;
}

std::string Requirement::why(const Case& c) const {
  Wording words;
  if (const auto* is = std::get_if<bool (*)(const Case&)>(&unmet)) {
    if (!(*is)(c)) return "";
  } else if (words = std::get<Wording (*)(const Case&)>(unmet)(c); words.empty()) {
    return "";
  }
  words.push_back({"rule", c.rule.name});
  return filled(sentence, words);
}

std::string Requirement::shown() const {
  std::string text = filled(sentence, {{"rule", "the rule"}});
  // The words of one case are left out.
  for (const std::string part :
       {", not for '{kind}'", ", not spectrum '{kind}'", " '{kind}'", " '{law}'", ": {reason}"})
    boost::replace_all(text, part, "");
  std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
  return text;
}

std::vector<Problem> problems_of(const EngineQuery& query, const std::vector<Requirement>& requirements) {
  std::vector<Problem> problems;
  for (const Requirement& row : requirements) {
    const std::string why = row.why({query});
    if (!why.empty()) problems.push_back(problem_about(row.id, why));
  }
  return problems;
}

Refusal first_refusal(const EngineQuery& query, Way way) {
  return refusal(query, way, way);
}

std::string why_single(const EngineQuery& query, Way layout) {
  return refusal(query, Way::leap, layout).why;
}

}  // namespace rarefact
