#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>

#include "model/pairs.hpp"

using namespace rarefact;

namespace {

/// One answer for each query.
Pairs map_of(std::vector<double> probability, std::vector<Index> answer, Index answers) {
  Pairs pairs;
  pairs.begin.resize(probability.size() + 1);
  std::iota(pairs.begin.begin(), pairs.begin.end(), std::size_t{0});
  pairs.probability = std::move(probability);
  pairs.share.assign(answer.size(), 1);
  pairs.right.assign(answer.size(), 1);
  pairs.answer = std::move(answer);
  pairs.answers = answers;
  return pairs;
}

/// Random pairs with few values, so that identical classes and equal components come about.
Pairs random_pairs(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Pairs pairs;
  const std::size_t queries = 1 + below(30);
  pairs.answers = static_cast<Index>(2 + below(30));
  pairs.begin = {0};
  for (std::size_t l = 0; l < queries; ++l) {
    pairs.probability.push_back(l > 0 && below(2) == 0 ? pairs.probability[below(l)]
                                                       : 1.0 / double(1 + below(9)));
    std::vector<Index> answers;
    for (std::size_t i = 0, size = 1 + below(3); i < size; ++i)
      answers.push_back(static_cast<Index>(below(static_cast<std::size_t>(pairs.answers))));
    std::ranges::sort(answers);
    answers.erase(std::unique(answers.begin(), answers.end()), answers.end());
    const bool equal = below(2) == 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const double size = double(answers.size());
      pairs.answer.push_back(answers[i]);
      pairs.share.push_back(equal ? 1 / size : (double(i) + 1) / (size * (size + 1) / 2));
      pairs.right.push_back(equal || i + 1 == answers.size());
    }
    pairs.begin.push_back(pairs.answer.size());
  }
  return pairs;
}

/// The same with other numbers for queries and answers.
Pairs renumbered(const Pairs& pairs, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::size_t> query(pairs.probability.size());
  std::vector<Index> answer(static_cast<std::size_t>(pairs.answers));
  std::iota(query.begin(), query.end(), std::size_t{0});
  std::iota(answer.begin(), answer.end(), Index{0});
  std::ranges::shuffle(query, random);
  std::ranges::shuffle(answer, random);
  Pairs other;
  other.answers = pairs.answers;
  other.begin = {0};
  for (const std::size_t l : query) {
    other.probability.push_back(pairs.probability[l]);
    std::vector<std::size_t> entries(pairs.begin[l + 1] - pairs.begin[l]);
    std::iota(entries.begin(), entries.end(), pairs.begin[l]);
    const auto number = [&](std::size_t i) { return answer[pairs.answer[i]]; };
    std::ranges::sort(entries, {}, number);
    for (const std::size_t i : entries) {
      other.answer.push_back(number(i));
      other.share.push_back(pairs.share[i]);
      other.right.push_back(pairs.right[i]);
    }
    other.begin.push_back(other.answer.size());
  }
  return other;
}

/// The number of queries and answers of each type in one component.
struct Inventory {
  std::map<Index, double> queries, answers;
  auto operator<=>(const Inventory&) const = default;
};

/// The components of pairs that have these types, and how many of each there are. Answers without queries are one.
std::map<Inventory, double> inventories(const Pairs& pairs, const PairTypes& types) {
  // Of every answer the least one of its connected component.
  std::vector<Index> least(types.answer.size(), pairs.answers);
  for (const Index k : pairs.answer) least[k] = k;
  for (bool changed = true; changed;) {
    changed = false;
    for (Index l = 0; l < pairs.queries(); ++l) {
      const std::span column(pairs.answer.begin() + pairs.begin[l],
                             pairs.answer.begin() + pairs.begin[l + 1]);
      const Index first = std::ranges::min(column, {}, [&](Index k) { return least[k]; });
      for (const Index k : column) changed = std::exchange(least[k], least[first]) != least[first] || changed;
    }
  }
  std::map<Index, Inventory> components;
  for (std::size_t k = 0; k < least.size(); ++k) ++components[least[k]].answers[types.answer[k]];
  for (Index l = 0; l < pairs.queries(); ++l)
    ++components[least[pairs.answer[pairs.begin[l]]]].queries[types.query[l]];
  std::map<Inventory, double> count;
  for (const auto& [first, inventory] : components) ++count[inventory];
  return count;
}

/// Checks every query against its type, and every component of the pairs against the components.
void check_components(const Components& components, const Pairs& pairs, const PairTypes& types) {
  std::map<Inventory, double> expected;
  std::vector<std::pair<const ComponentGroup*, const QueryType*>> queries;
  std::vector<Index> first_answer;  // type, of every query type
  Index answers = 0;
  for (const ComponentGroup& group : components.groups) {
    Inventory inventory;
    for (const QueryType& query : group.queries) {
      inventory.queries[std::ssize(queries)] = query.multiplicity;
      queries.emplace_back(&group, &query);
      first_answer.push_back(answers);
    }
    for (const double multiplicity : group.answer_multiplicity) inventory.answers[answers++] = multiplicity;
    expected[inventory] = group.count;
  }
  REQUIRE(inventories(pairs, types) == expected);
  for (Index l = 0; l < pairs.queries(); ++l) {
    const Index type = types.query[l];
    const auto& [group, query] = queries[type];
    CHECK(query->probability == pairs.probability[l]);
    std::multiset<AnswerShare> column, of_type;
    for (std::size_t i = pairs.begin[l]; i < pairs.begin[l + 1]; ++i)
      column.insert(
          {types.answer[pairs.answer[i]] - first_answer[type], pairs.share[i], pairs.right[i] != 0});
    for (const AnswerShare& share : query->answers) {
      for (double n = 0; n < group->answer_multiplicity[share.type]; ++n) of_type.insert(share);
    }
    CHECK(column == of_type);
  }
}

}  // namespace

TEST_CASE(
    "components of random pairs, and these components written out, describe the pairs to the last bit") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    INFO(seed);
    const Pairs pairs = random_pairs(seed);
    const auto [components, types] = components_of(pairs);
    check_components(components, pairs, types);
    CHECK(components.queries() == double(pairs.queries()));
    CHECK(components.answers() == double(pairs.answers));
    const auto [written, types_written] = written_out(components);
    check_components(components, written, types_written);
  }
}

TEST_CASE(
    "a map falls into stars: queries of an answer by probability, equal stars one group, likeliest first") {
  // Answers 0 and 3 have queries of 0.2 and 0.1 each; answer 2 has identical classes of 0.15; answer 1 and 4 are nobody's.
  const auto [components, types] =
      components_of(map_of({0.1, 0.2, 0.15, 0.15, 0.2, 0.1, 0.1}, {0, 0, 2, 2, 3, 3, 5}, 6));
  const std::vector<AnswerShare> only = {{0, 1, true}};
  const std::vector<ComponentGroup> expected = {{2, {1}, {{1, 0.2, only}, {1, 0.1, only}}},
                                                {1, {1}, {{2, 0.15, only}}},
                                                {1, {1}, {{1, 0.1, only}}},
                                                {1, {2}, {}}};
  CHECK(components.groups == expected);
  CHECK(types.query == std::vector<Index>{1, 0, 2, 2, 0, 1, 3});
  CHECK(types.answer == std::vector<Index>{0, 3, 1, 0, 3, 2});
}

TEST_CASE(
    "answers with the same shares of the same queries are identical, and what differs in a bit is not") {
  Pairs pairs;
  pairs.probability = {0.5, 0.5};
  pairs.begin = {0, 3, 6};
  pairs.answer = {0, 1, 2, 3, 4, 5};
  pairs.share = {0.25, 0.25, 0.5, 0.25, 0.25, 0.5};
  pairs.right = {0, 0, 1, 0, 0, 1};
  pairs.answers = 6;
  const ComponentGroup component = {2, {1, 2}, {{1, 0.5, {{0, 0.5, true}, {1, 0.25, false}}}}};
  CHECK(components_of(pairs).components.groups == std::vector{component});
  pairs.share[1] = std::nextafter(0.25, 1);
  const std::vector<ComponentGroup> apart = components_of(pairs).components.groups;
  REQUIRE(apart.size() == 2);
  CHECK(apart[0].answer_multiplicity == std::vector<double>{1, 1, 1});
  CHECK(apart[1].answer_multiplicity == std::vector<double>{1, 2});
}

TEST_CASE(
    "paraphrases and synonyms: equal components that are no stars are one group however they are numbered") {
  // Components of two queries, p and p/2, that share answers of 0.7, 0.2 and 0.1 in opposite order.
  Pairs pairs;
  pairs.begin = {0};
  for (Index component = 0; component < 5; ++component) {
    for (const bool first : {true, false}) {
      pairs.probability.push_back(first ? 0.2 * 2 / 3 : 0.2 / 3);
      for (Index k = 0; k < 3; ++k) {
        pairs.answer.push_back(3 * component + k);
        pairs.share.push_back(std::vector{0.7, 0.2, 0.1}[first ? k : 2 - k]);
        pairs.right.push_back((first ? k : 2 - k) == 0);
      }
      pairs.begin.push_back(pairs.answer.size());
    }
  }
  pairs.answers = 15;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Pairs other = renumbered(pairs, seed);
    const auto [components, types] = components_of(other);
    REQUIRE(components.groups.size() == 1);
    CHECK(components.groups[0].count == 5);
    CHECK(components == components_of(pairs).components);
    check_components(components, other, types);
  }
}

TEST_CASE("stars come out the same however queries and answers are numbered") {
  std::mt19937 random(7);
  std::vector<double> probability;
  std::vector<Index> answer;
  for (Index l = 0; l < 300; ++l) {
    probability.push_back(1.0 / (1 + double(random() % 5)));
    answer.push_back(static_cast<Index>(random() % 100));
  }
  const Pairs pairs = map_of(probability, answer, 110);
  const Components components = components_of(pairs).components;
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto other = components_of(renumbered(pairs, seed)).components.groups;
    auto known = components.groups;
    // Of groups whose likeliest queries are equal the numbers decide.
    const auto less = [](const ComponentGroup& a, const ComponentGroup& b) {
      const auto key = [](const ComponentGroup& g) {
        std::vector<double> numbers = {g.count, g.answer_multiplicity[0]};
        for (const QueryType& type : g.queries)
          numbers.insert(numbers.end(), {type.probability, type.multiplicity});
        return numbers;
      };
      return key(a) < key(b);
    };
    std::ranges::sort(other, less);
    std::ranges::sort(known, less);
    CHECK(other == known);
  }
}
