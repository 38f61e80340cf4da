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
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rarefact {

namespace {

using Hash = std::uint64_t;

/// The finaliser of SplitMix64.
Hash mixed(Hash x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
Hash joined(Hash a, Hash b) {
  return mixed(a ^ mixed(b));
}
Hash bits(double x) {
  return std::bit_cast<Hash>(x);
}

/// An entry of a row or a column: of which answer or query, and what.
struct Entry {
  Index at;
  double share;
  char right;
  bool operator==(const Entry&) const = default;
  Hash what() const { return joined(bits(share), static_cast<Hash>(right)); }
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

/// What is alike: the first of each kind, how many there are, and of which kind each is.
struct Kinds {
  std::vector<std::size_t> first;
  std::vector<double> twins;
  std::vector<Index> of;
};

/// Lists that are equal, and whose weights are.
Kinds kinds_of(const Lists& lists, const std::vector<double>& weight) {
  Kinds kinds;
  kinds.of.resize(lists.size());
  std::unordered_multimap<Hash, Index> known;
  known.reserve(lists.size());
  const auto same = [&](std::size_t a, std::size_t b) {
    return (weight.empty() || weight[a] == weight[b]) && std::ranges::equal(lists[a], lists[b]);
  };
  for (std::size_t i = 0; i < lists.size(); ++i) {
    Hash hash = weight.empty() ? 0 : bits(weight[i]);
    for (const Entry& entry : lists[i])
      hash = joined(hash, joined(static_cast<Hash>(entry.at), entry.what()));
    Index kind = -1;
    const auto [low, high] = known.equal_range(hash);
    for (auto at = low; at != high && kind < 0; ++at) {
      if (same(kinds.first[static_cast<std::size_t>(at->second)], i)) kind = at->second;
    }
    if (kind < 0) {
      kind = static_cast<Index>(kinds.first.size());
      known.emplace(hash, kind);
      kinds.first.push_back(i);
      kinds.twins.push_back(0);
    }
    kinds.of[i] = kind;
    ++kinds.twins[static_cast<std::size_t>(kind)];
  }
  return kinds;
}

Lists columns_of(const Pairs& pairs) {
  Lists lists{pairs.begin, {}};
  for (std::size_t i = 0; i < pairs.answer.size(); ++i)
    lists.entries.push_back({pairs.answer[i], pairs.share[i], pairs.right[i]});
  return lists;
}

/// The rows of columns: for each of `rows` what stands where in it.
Lists transposed(const Lists& lists, std::size_t rows) {
  Lists result{std::vector<std::size_t>(rows + 1, 0), std::vector<Entry>(lists.entries.size())};
  for (const Entry& entry : lists.entries) ++result.begin[static_cast<std::size_t>(entry.at) + 1];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  auto next = result.begin;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Entry& entry : lists[i])
      result.entries[next[static_cast<std::size_t>(entry.at)]++] = {static_cast<Index>(i), entry.share,
                                                                    entry.right};
  }
  return result;
}

/// The lists of these numbers, of each entry with an `of` its first.
Lists reduced(const Lists& lists, const Kinds& kept, const Kinds& entries) {
  Lists result{{0}, {}};
  for (const std::size_t i : kept.first) {
    for (Entry entry : lists[i]) {
      const Index kind = entries.of[static_cast<std::size_t>(entry.at)];
      if (entries.first[static_cast<std::size_t>(kind)] != static_cast<std::size_t>(entry.at)) continue;
      entry.at = kind;
      result.entries.push_back(entry);
    }
    result.begin.push_back(result.entries.size());
  }
  return result;
}

/// Types of queries and answers and what ties them.
struct Types {
  Kinds query, answer;
  std::vector<double> probability;
  Lists columns, rows;  ///< over types
  std::vector<Hash> query_colour, answer_colour;
};

std::size_t different(std::vector<Hash> colours) {
  std::ranges::sort(colours);
  return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
}

void refine(std::vector<Hash>& own, const std::vector<Hash>& other, const Lists& lists) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    Hash sum = 0;  // of no order
    for (const Entry& entry : lists[i])
      sum += joined(other[static_cast<std::size_t>(entry.at)], entry.what());
    own[i] = joined(own[i], sum);
  }
}

void colour(Types& types) {
  for (std::size_t a = 0; a < types.probability.size(); ++a)
    types.query_colour.push_back(joined(bits(types.probability[a]), bits(types.query.twins[a])));
  for (const double twins : types.answer.twins) types.answer_colour.push_back(mixed(bits(twins)));
  const auto count = [&] { return different(types.query_colour) + different(types.answer_colour); };
  for (std::size_t before = 0, now = count(); now > before;) {
    refine(types.answer_colour, types.query_colour, types.rows);
    refine(types.query_colour, types.answer_colour, types.columns);
    before = std::exchange(now, count());
  }
}

Types types_of(const Pairs& pairs) {
  Types types;
  const Lists columns = columns_of(pairs);
  types.query = kinds_of(columns, pairs.probability);
  // Of twin queries the first stands for all in the rows.
  Lists fewer{{0}, {}};
  for (const std::size_t l : types.query.first) {
    const auto column = columns[l];
    fewer.entries.insert(fewer.entries.end(), column.begin(), column.end());
    fewer.begin.push_back(fewer.entries.size());
    types.probability.push_back(pairs.probability[l]);
  }
  const auto answers = static_cast<std::size_t>(pairs.answers);
  types.answer = kinds_of(transposed(fewer, answers), {});
  types.columns = reduced(columns, types.query, types.answer);
  types.rows = transposed(types.columns, types.answer.first.size());
  colour(types);
  return types;
}

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
      if (std::exchange(placed[static_cast<std::size_t>(entry.at)], 1) == 0) column.push_back(entry);
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
      query.answers.push_back({place[static_cast<std::size_t>(entry.at)], entry.share, entry.right != 0});
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
  for (const Index kind : kinds.of) ++begin[static_cast<std::size_t>(kind) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> members(kinds.of.size());
  auto next = begin;
  for (std::size_t i = 0; i < kinds.of.size(); ++i)
    members[next[static_cast<std::size_t>(kinds.of[i])]++] = static_cast<Index>(i);
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

/// The k-th number of an order that may be empty.
Index at(const std::vector<Index>& order, std::size_t k) {
  return order.empty() ? static_cast<Index>(k) : order[k];
}

std::size_t whole(double count) {
  return static_cast<std::size_t>(count);
}

/// Of every query, or answer, the number of its unit; `twins` lists how many each type has in a unit of the group.
template <class Twins>
std::vector<Index> unit_numbers(const Units& units, double total, const std::vector<Index>& order,
                                const Twins& twins) {
  std::vector<Index> numbers(whole(total));
  std::size_t next = 0;
  Index unit = 0;
  for (const UnitGroup& group : units.groups) {
    double size = 0;
    for (const double one : twins(group)) size += one;
    for (std::size_t n = 0; n < whole(group.count); ++n, ++unit) {
      for (std::size_t i = 0; i < whole(size); ++i)
        numbers[static_cast<std::size_t>(at(order, next++))] = unit;
    }
  }
  return numbers;
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

Pairs written_out(const OrderedUnits& ordered) {
  const auto& [units, order] = ordered;
  Pairs pairs;
  const std::size_t queries = whole(units.queries());
  pairs.answers = static_cast<Index>(units.answers());
  pairs.probability.resize(queries);
  std::vector<std::vector<Entry>> columns(queries);
  std::size_t next_query = 0, next_answer = 0;
  std::vector<std::size_t> first;  // of each answer type of a unit, in the order of the answers
  for (const UnitGroup& group : units.groups) {
    for (std::size_t unit = 0; unit < whole(group.count); ++unit) {
      first.clear();
      for (const double twins : group.answer_twins) {
        first.push_back(next_answer);
        next_answer += whole(twins);
      }
      for (const QueryType& type : group.queries) {
        std::vector<Entry> column;
        for (const AnswerShare& share : type.answers) {
          const auto b = static_cast<std::size_t>(share.type);
          for (std::size_t i = 0; i < whole(group.answer_twins[b]); ++i)
            column.push_back(
                {at(order.answer, first[b] + i), share.probability, static_cast<char>(share.right)});
        }
        std::ranges::sort(column, {}, &Entry::at);
        for (std::size_t i = 0; i < whole(type.twins); ++i) {
          const auto query = static_cast<std::size_t>(at(order.query, next_query++));
          pairs.probability[query] = type.probability;
          columns[query] = column;
        }
      }
    }
  }
  pairs.begin = {0};
  for (const auto& column : columns) {
    for (const Entry& entry : column) {
      pairs.answer.push_back(entry.at);
      pairs.share.push_back(entry.share);
      pairs.right.push_back(entry.right);
    }
    pairs.begin.push_back(pairs.answer.size());
  }
  return pairs;
}

std::vector<Index> units_of_queries(const OrderedUnits& ordered) {
  return unit_numbers(ordered.units, ordered.units.queries(), ordered.order.query,
                      [](const UnitGroup& group) {
                        std::vector<double> twins;
                        for (const QueryType& type : group.queries) twins.push_back(type.twins);
                        return twins;
                      });
}

std::vector<Index> units_of_answers(const OrderedUnits& ordered) {
  return unit_numbers(ordered.units, ordered.units.answers(), ordered.order.answer,
                      [](const UnitGroup& group) { return group.answer_twins; });
}

}  // namespace rarefact
