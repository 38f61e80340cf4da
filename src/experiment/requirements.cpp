#include "experiment/requirements.hpp"

#include <algorithm>
#include <stdexcept>

namespace rarefact {

const std::vector<EngineRow>& engine_catalogue() {
  static const std::vector<EngineRow> rows = {
      {{"modes", "one number for each group of modes, for least squares where every class is a scalar",
        "O(M) per step for M groups", ""},
       {Way::modes}},
      {{"columns",
        "two numbers for each class group; under an answer law one for every different π in a column", "O(M)",
        ""},
       {Way::columns}},
      {{"symmetric", "the M x M entries between class groups, or between the types of answers and of queries",
        "O(M³), independent of K", ""},
       {Way::symmetric}},
      {{"quadrature",
        "a few dozen nodes that represent all distinct classes, with a certified error, as columns or "
        "symmetric",
        "as for those, independent of K", ""},
       {Way::node_columns, Way::node_symmetric}},
      {{"dense", "every entry of W", "O(K² d)", ""}, {Way::dense}},
  };
  return rows;
}

const EngineRow& engine_of(Way way) {
  for (const EngineRow& row : engine_catalogue())
    if (std::ranges::count(row.ways, way) > 0) return row;
  throw std::logic_error("a leap is on top of another way");
}

Index EmbeddedSide::block() const {
  if (drops_out() || !embedding.block) return 1;
  return rotation_block(chosen.parameters, key).rows();
}

Index Sides::block() const {
  return std::max(front().block(), back().block());
}
bool Sides::identity() const {
  return std::ranges::all_of(*this, &EmbeddedSide::identity);
}
bool Sides::drop_out() const {
  return std::ranges::all_of(*this, &EmbeddedSide::drops_out);
}
bool Sides::equal_classes() const {
  return std::ranges::all_of(*this, &EmbeddedSide::equal_classes);
}
const std::string* Sides::first_without(bool EmbeddingRow::*property) const {
  const auto found =
      std::ranges::find_if(*this, [&](const EmbeddedSide& side) { return !(side.embedding.*property); });
  return found == end() ? nullptr : &found->chosen.kind;
}

namespace {

/// The sentence with the text from f in place of each name in braces.
template <class F>
std::string filled(const std::string& sentence, const F& text_of) {
  std::string text;
  for (std::size_t begin = 0; begin < sentence.size();) {
    const std::size_t open = std::min(sentence.find('{', begin), sentence.size());
    text += sentence.substr(begin, open - begin);
    if (open == sentence.size()) break;
    const std::size_t close = sentence.find('}', open);
    text += text_of(sentence.substr(open + 1, close - open - 1));
    begin = close + 1;
  }
  return text;
}

Refusal refusal(const EngineQuery& query, Way ruled_out, Way layout) {
  for (const Requirement& row : requirements()) {
    if (!row.rules_out.has(ruled_out)) continue;
    const std::string why = row.why({query.experiment, &query, layout});
    if (!why.empty()) return {&row, why};
  }
  return {};
}

}  // namespace

std::string Requirement::why(const Subject& subject) const {
  const Unmet found = unmet(subject);
  if (!found.unmet) return "";
  auto word = found.words.begin();
  return filled(sentence,
                [&](const std::string& name) { return name == "rule" ? subject.run->rule.name : *word++; });
}

std::string Requirement::shown() const {
  return filled(sentence, [](const std::string& name) { return name == "rule" ? "the rule" : name; });
}

std::vector<Problem> problems_of(const EngineQuery& query, CheckedAt checked_at) {
  std::vector<Problem> problems;
  for (const Requirement& row : requirements()) {
    const std::string why = row.checked_at == checked_at ? row.why({query.experiment, &query}) : "";
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
