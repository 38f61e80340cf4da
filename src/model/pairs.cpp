// Merging pairs into components.
//
// One pass merges identical queries and one identical answers. Identical answers have equal shares in a
// query's column, so its column over answer types has the same information, and likewise for rows; merging
// therefore creates no new identical classes.
//
// Components are compared type by type: queries by probability, answers by their shares of the queries, ties
// in the order of their numbers. For a star (one answer of many queries, or one query of many answers) this
// finds all equal components. Other components may remain separate groups although they differ only in the
// numbering.

#include "model/pairs.hpp"

#include <boost/pending/disjoint_sets.hpp>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/sorted_order.hpp"
#include "core/transform.hpp"

namespace rarefact {

namespace {

/// An entry of a row or a column: the answer or query, and the value.
struct Entry {
  Index at;
  double share;
  char right;
  auto operator<=>(const Entry&) const = default;
};

/// Lists of entries one after another.
struct Lists {
  std::vector<std::size_t> begin;
  std::vector<Entry> entries;

  std::size_t size() const { return begin.size() - 1; }
  std::span<const Entry> operator[](std::size_t i) const {
    return {entries.data() + begin[i], begin[i + 1] - begin[i]};
  }
};

/// Classes of identical objects: the first of each kind, the count of each kind, and the kind of each object.
/// Kinds are numbered in the order of their first objects.
struct Kinds {
  std::vector<std::size_t> first;
  std::vector<double> multiplicity;
  std::vector<Index> of;
};

/// Types of queries and answers, and the columns over types.
struct Types {
  Kinds query, answer;
  std::vector<double> probability;
  Lists columns;
};

/// Groups equal lists with equal weights.
Kinds kinds_of(const Lists& lists, const std::vector<double>& weight) {
  const auto less = [&](std::size_t a, std::size_t b) {
    if (!weight.empty() && weight[a] != weight[b]) return weight[a] < weight[b];
    return std::ranges::lexicographical_compare(lists[a], lists[b]);
  };
  const std::vector<std::size_t> order = sorted_order(lists.size(), less);
  std::vector<std::size_t> like(lists.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    like[order[k]] = k > 0 && !less(order[k - 1], order[k]) ? like[order[k - 1]] : order[k];
  Kinds kinds;
  for (std::size_t i = 0; i < like.size(); ++i) {
    if (like[i] == i) {
      kinds.of.push_back(std::ssize(kinds.first));
      kinds.first.push_back(i);
      kinds.multiplicity.push_back(0);
    } else {
      kinds.of.push_back(kinds.of[like[i]]);
    }
    ++kinds.multiplicity[kinds.of.back()];
  }
  return kinds;
}

Lists columns_of(const Pairs& pairs) {
  Lists lists{pairs.begin, {}};
  for (std::size_t i = 0; i < pairs.answer.size(); ++i)
    lists.entries.push_back({pairs.answer[i], pairs.share[i], pairs.right[i]});
  return lists;
}

/// The transpose: for each of `rows` rows its entries.
Lists transposed(const Lists& lists, std::size_t rows) {
  Lists result{std::vector<std::size_t>(rows + 1, 0), std::vector<Entry>(lists.entries.size())};
  for (const Entry& entry : lists.entries) ++result.begin[entry.at + 1];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  auto next = result.begin;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Entry& entry : lists[i])
      result.entries[next[entry.at]++] = {static_cast<Index>(i), entry.share, entry.right};
  }
  return result;
}

Types types_of(const Pairs& pairs) {
  Types types;
  const Lists columns = columns_of(pairs);
  types.query = kinds_of(columns, pairs.probability);
  // The first of identical queries represents all.
  Lists fewer{{0}, {}};
  for (const std::size_t l : types.query.first) {
    const auto column = columns[l];
    fewer.entries.insert(fewer.entries.end(), column.begin(), column.end());
    fewer.begin.push_back(fewer.entries.size());
    types.probability.push_back(pairs.probability[l]);
  }
  types.answer = kinds_of(transposed(fewer, static_cast<std::size_t>(pairs.answers)), {});
  types.columns.begin = {0};
  for (std::size_t a = 0; a < fewer.size(); ++a) {
    for (Entry entry : fewer[a]) {
      const auto k = static_cast<std::size_t>(entry.at);
      entry.at = types.answer.of[k];
      if (types.answer.first[entry.at] == k) types.columns.entries.push_back(entry);
    }
    types.columns.begin.push_back(types.columns.entries.size());
  }
  return types;
}

/// The types of one component, in an order that depends on the numbering only to break ties.
struct Component {
  std::vector<std::size_t> queries, answers;
};

/// The components, those with more likely queries first; ties are broken by the numbers of queries.
std::vector<Component> components_of(const Types& types) {
  const std::size_t queries = types.probability.size(), answers = types.answer.first.size();
  boost::disjoint_sets_with_storage<> sets(queries + answers);
  for (std::size_t a = 0; a < queries; ++a) {
    for (const Entry& entry : types.columns[a]) sets.union_set(a, queries + entry.at);
  }
  std::vector<std::size_t> number(queries + answers, queries + answers);
  std::vector<Component> components;
  const auto component = [&](std::size_t node) -> Component& {
    std::size_t& place = number[sets.find_set(node)];
    if (place == queries + answers) {
      place = components.size();
      components.emplace_back();
    }
    return components[place];
  };
  // Answers in the order in which queries reach them, larger shares first.
  std::vector<char> placed(answers, 0);
  std::vector<Entry> column;
  const auto likelihood = [&](std::size_t a) { return types.probability[a]; };
  for (const std::size_t a : sorted_order(queries, std::greater(), likelihood)) {
    Component& reached = component(a);
    reached.queries.push_back(a);
    column.clear();
    for (const Entry& entry : types.columns[a]) {
      if (std::exchange(placed[entry.at], 1) == 0) column.push_back(entry);
    }
    std::ranges::stable_sort(column, std::greater(), &Entry::share);
    for (const Entry& entry : column) reached.answers.push_back(entry.at);
  }
  for (std::size_t b = 0; b < answers; ++b) {
    if (placed[b] == 0) component(queries + b).answers.push_back(b);
  }
  return components;
}

/// A group of one component; `place` is scratch for the number of every answer type.
ComponentGroup component_of(const Types& types, const Component& component, std::vector<Index>& place) {
  ComponentGroup group;
  for (std::size_t i = 0; i < component.answers.size(); ++i) {
    place[component.answers[i]] = static_cast<Index>(i);
    group.answer_multiplicity.push_back(types.answer.multiplicity[component.answers[i]]);
  }
  for (const std::size_t a : component.queries) {
    QueryType& query = group.queries.emplace_back();
    query.multiplicity = types.query.multiplicity[a];
    query.probability = types.probability[a];
    for (const Entry& entry : types.columns[a])
      query.answers.push_back({place[entry.at], entry.share, entry.right != 0});
    std::ranges::sort(query.answers, {}, &AnswerShare::type);
  }
  return group;
}

/// The types of queries or answers (`side`) over the groups of components.
std::vector<Index> types_in(const std::vector<std::vector<std::size_t>>& groups, const Kinds& kinds,
                            const std::vector<Component>& components,
                            std::vector<std::size_t> Component::*side) {
  std::vector<Index> type(kinds.first.size());
  Index first = 0;
  for (const auto& group : groups) {
    for (const std::size_t component : group) {
      Index next = first;
      for (const std::size_t kind : components[component].*side) type[kind] = next++;
    }
    first += std::ssize(components[group.front()].*side);
  }
  return mapped(kinds.of, [&](Index kind) { return type[kind]; });
}

}  // namespace

TypedComponents components_of(const Pairs& pairs) {
  const Types types = types_of(pairs);
  const std::vector<Component> components = components_of(types);
  TypedComponents result;
  std::vector<ComponentGroup>& groups = result.components.groups;
  std::vector<std::vector<std::size_t>> members;  // the components of each
  const auto less = [&](std::size_t a, std::size_t b) {
    return std::tie(groups[a].answer_multiplicity, groups[a].queries) <
           std::tie(groups[b].answer_multiplicity, groups[b].queries);
  };
  std::set<std::size_t, decltype(less)> known(less);
  std::vector<Index> place(types.answer.first.size());
  for (std::size_t c = 0; c < components.size(); ++c) {
    groups.push_back(component_of(types, components[c], place));
    const auto [group, is_new] = known.insert(groups.size() - 1);
    if (is_new) {
      members.push_back({c});
    } else {
      groups.pop_back();
      ++groups[*group].count;
      members[*group].push_back(c);
    }
  }
  result.types = {types_in(members, types.query, components, &Component::queries),
                  types_in(members, types.answer, components, &Component::answers)};
  return result;
}

}  // namespace rarefact
