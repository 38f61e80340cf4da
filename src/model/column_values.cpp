#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/compensated_sum.hpp"
#include "model/column_layout.hpp"

namespace rarefact {

namespace {

/// Answers of one query that share a value.
struct Shared {
  bool right = false;
  double share = 0, times = 0;  ///< (1-α) π₀ of one
};

/// Right answers first, then by descending probability; equal ones are merged.
std::vector<Shared> shared_values(const QueryType& query, const std::vector<double>& multiplicity,
                                  double kept) {
  std::vector<Shared> values;
  for (const AnswerShare& share : query.answers)
    values.push_back({share.right, kept * share.probability, multiplicity[share.type]});
  std::ranges::stable_sort(values, [](const Shared& a, const Shared& b) {
    return a.right != b.right ? a.right : a.share > b.share;
  });
  std::size_t last = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].right == values[last].right && values[i].share == values[last].share) {
      values[last].times += values[i].times;
    } else {
      values[++last] = values[i];
    }
  }
  values.resize(last + 1);
  return values;
}

}  // namespace

ColumnLaws column_laws(const Population& population) {
  const Components& components = *population.components;
  ColumnStructure s;
  s.answers = components.answers();
  ColumnLaws laws;
  laws.wrong = population.label_noise / s.answers;
  s.shared_begin.push_back(0);
  const double kept = 1 - population.label_noise;
  for (const auto& [component, query, number, first_answer] : query_types(components)) {
    const std::vector<Shared> values = shared_values(query, component.answer_multiplicity, kept);
    QueryAnswers<double>& law = laws.query.emplace_back();
    CompensatedSum rest;
    rest.add(s.answers);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& [right, share, times] = values[i];
      rest.add(-times);
      law.add(static_cast<Index>(i), share, laws.wrong, times, right);
      if (i > 0) s.shared_times.push_back(times);
    }
    law.finish(population.label_noise, s.answers);
    // With real multiplicities, rounding noise of an empty remainder counts as empty.
    const bool others = rest.value() > 8 * std::numeric_limits<double>::epsilon() * s.answers;
    s.count.push_back(component.count * query.multiplicity);
    s.right_times.push_back(values.front().times);
    s.wrong_times.push_back(others ? rest.value() : 0);
    s.shared_begin.push_back(s.shared_count());
  }
  laws.structure = std::make_shared<const ColumnStructure>(std::move(s));
  return laws;
}

Index ColumnLaws::value_of(Index l, const AnswerShare& share, double label_noise) const {
  const QueryAnswers<double>& law = query[l];
  const double weight = (1 - label_noise) * share.probability;
  for (std::size_t i = 0; i < law.size(); ++i) {
    if ((law.right[i] != 0) == share.right && law.share[i] == weight) return law.at[i];
  }
  throw std::logic_error("an answer without a value in its column");
}

}  // namespace rarefact
