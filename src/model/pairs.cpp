// Pairs into units and back.
//
// One pass merges twin queries and one twin answers: a query's column over answer types says as much as its column over
// answers, since twins have equal shares in it, and so for rows. So no new twins come of merging.
//
// Components are compared in an order of their types that does not depend on how queries are numbered: by probability,
// then by colours, which are refined by those of the neighbours until no two more are told apart. For a star, one
// answer of many queries or one query of many answers, that decides everything. Elsewhere types of one colour stand in
// the given order; units that differ by an automorphism of the colours may then stay apart, each a group of its own.

#include "model/pairs.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/pair_types.hpp"

namespace rarefact {

using namespace pair_types;

namespace {

/// The types of one unit, in an order that numbers of queries and answers decide only where nothing else does.
struct Component {
  std::vector<std::size_t> queries, answers;
};

/// Which set every type belongs to.
class Sets {
 public:
  explicit Sets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

/// Those with likelier queries first; the numbers of queries decide between equals.
std::vector<Component> components_of(const Types& types) {
  const std::size_t queries = types.probability.size(), answers = types.answer.first.size();
  Sets sets(queries + answers);
  for (std::size_t a = 0; a < queries; ++a) {
    for (const Entry& entry : types.columns[a]) sets.join(a, queries + static_cast<std::size_t>(entry.at));
  }
  std::vector<std::size_t> order(queries);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t a) {
    return std::tuple(-types.probability[a], types.query_colour[a], types.query.first[a]);
  });
  std::vector<std::size_t> number(queries + answers, queries + answers);
  std::vector<Component> components;
  const auto component = [&](std::size_t node) -> Component& {
    std::size_t& place = number[sets.find(node)];
    if (place == queries + answers) {
      place = components.size();
      components.emplace_back();
    }
    return components[place];
  };
  for (const std::size_t a : order) component(a).queries.push_back(a);
  // Answers as the queries come to them, larger shares first.
  std::vector<char> placed(answers, 0);
  std::vector<Entry> column;
  for (const std::size_t a : order) {
    column.clear();
    for (const Entry& entry : types.columns[a]) {
      if (std::exchange(placed[entry.at], 1) == 0) column.push_back(entry);
    }
    std::ranges::sort(column, {}, [&](const Entry& entry) {
      const auto b = static_cast<std::size_t>(entry.at);
      return std::tuple(-entry.share, types.answer_colour[b], types.answer.first[b]);
    });
    for (const Entry& entry : column) component(a).answers.push_back(static_cast<std::size_t>(entry.at));
  }
  for (std::size_t b = 0; b < answers; ++b) {
    if (placed[b] == 0) component(queries + b).answers.push_back(b);
  }
  // Of units whose likeliest queries are equally likely the numbers of these decide.
  std::stable_sort(components.begin(), components.end(), [&](const Component& one, const Component& other) {
    if (one.queries.empty() || other.queries.empty()) return !one.queries.empty() && other.queries.empty();
    const auto key = [&](std::size_t a) { return std::pair(-types.probability[a], types.query.first[a]); };
    return key(one.queries.front()) < key(other.queries.front());
  });
  return components;
}

/// One unit; `place` is room for the number of every answer type.
UnitGroup unit_of(const Types& types, const Component& component, std::vector<Index>& place) {
  UnitGroup unit;
  for (std::size_t i = 0; i < component.answers.size(); ++i) {
    place[component.answers[i]] = static_cast<Index>(i);
    unit.answer_twins.push_back(types.answer.twins[component.answers[i]]);
  }
  for (const std::size_t a : component.queries) {
    QueryType& query = unit.queries.emplace_back();
    query.twins = types.query.twins[a];
    query.probability = types.probability[a];
    for (const Entry& entry : types.columns[a])
      query.answers.push_back({place[entry.at], entry.share, entry.right != 0});
    std::ranges::sort(query.answers, {}, &AnswerShare::type);
  }
  return unit;
}

Hash hash_of(const UnitGroup& unit) {
  Hash hash = joined(unit.answer_twins.size(), unit.queries.size());
  for (const double twins : unit.answer_twins) hash = joined(hash, bits(twins));
  for (const QueryType& query : unit.queries) {
    hash = joined(joined(hash, bits(query.twins)), bits(query.probability));
    for (const AnswerShare& share : query.answers)
      hash = joined(joined(hash, static_cast<Hash>(share.type)), bits(share.probability));
  }
  return hash;
}

/// The members of each kind, one kind after another; `begin` where each begins.
std::vector<Index> members_of(const Kinds& kinds, std::vector<std::size_t>& begin) {
  begin.assign(kinds.first.size() + 1, 0);
  for (const Index kind : kinds.of) ++begin[kind + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> members(kinds.of.size());
  auto next = begin;
  for (std::size_t i = 0; i < kinds.of.size(); ++i) members[next[kinds.of[i]]++] = static_cast<Index>(i);
  return members;
}

/// Empty where it is that of the numbers themselves.
std::vector<Index> unless_ascending(std::vector<Index> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<Index>(i)) return order;
  }
  return {};
}

/// The numbers in the order of the groups' units: of queries or of answers, as `side` says.
std::vector<Index> ordered(const Kinds& kinds, const std::vector<std::vector<std::size_t>>& groups,
                           const std::vector<Component>& components,
                           std::vector<std::size_t> Component::*side) {
  std::vector<std::size_t> begin;
  const std::vector<Index> members = members_of(kinds, begin);
  std::vector<Index> order;
  order.reserve(members.size());
  for (const auto& group : groups) {
    for (const std::size_t unit : group) {
      for (const std::size_t kind : components[unit].*side)
        order.insert(order.end(), members.begin() + static_cast<std::ptrdiff_t>(begin[kind]),
                     members.begin() + static_cast<std::ptrdiff_t>(begin[kind + 1]));
    }
  }
  return unless_ascending(std::move(order));
}

}  // namespace

OrderedUnits units_of(const Pairs& pairs) {
  const Types types = types_of(pairs);
  const std::vector<Component> components = components_of(types);
  OrderedUnits result;
  std::vector<std::vector<std::size_t>> groups;  // the components of each
  std::unordered_multimap<Hash, std::size_t> known;
  std::vector<Index> place(types.answer.first.size());
  for (std::size_t c = 0; c < components.size(); ++c) {
    UnitGroup unit = unit_of(types, components[c], place);
    const Hash hash = hash_of(unit);
    const auto [low, high] = known.equal_range(hash);
    const auto same = std::find_if(low, high, [&](const auto& one) {
      const UnitGroup& other = result.units.groups[one.second];
      return other.answer_twins == unit.answer_twins && other.queries == unit.queries;
    });
    if (same != high) {
      ++result.units.groups[same->second].count;
      groups[same->second].push_back(c);
    } else {
      known.emplace(hash, groups.size());
      result.units.groups.push_back(std::move(unit));
      groups.push_back({c});
    }
  }
  result.order = {ordered(types.query, groups, components, &Component::queries),
                  ordered(types.answer, groups, components, &Component::answers)};
  return result;
}

}  // namespace rarefact
