#include "model/pair_types.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rarefact::pair_types {

namespace {

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
      if (same(kinds.first[at->second], i)) kind = at->second;
    }
    if (kind < 0) {
      kind = static_cast<Index>(kinds.first.size());
      known.emplace(hash, kind);
      kinds.first.push_back(i);
      kinds.twins.push_back(0);
    }
    kinds.of[i] = kind;
    ++kinds.twins[kind];
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
  for (const Entry& entry : lists.entries) ++result.begin[entry.at + 1];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  auto next = result.begin;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Entry& entry : lists[i])
      result.entries[next[entry.at]++] = {static_cast<Index>(i), entry.share, entry.right};
  }
  return result;
}

/// The lists of these numbers, of each entry with an `of` its first.
Lists reduced(const Lists& lists, const Kinds& kept, const Kinds& entries) {
  Lists result{{0}, {}};
  for (const std::size_t i : kept.first) {
    for (Entry entry : lists[i]) {
      const Index kind = entries.of[entry.at];
      if (entries.first[kind] != static_cast<std::size_t>(entry.at)) continue;
      entry.at = kind;
      result.entries.push_back(entry);
    }
    result.begin.push_back(result.entries.size());
  }
  return result;
}

std::size_t different(std::vector<Hash> colours) {
  std::ranges::sort(colours);
  return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
}

void refine(std::vector<Hash>& own, const std::vector<Hash>& other, const Lists& lists) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    Hash sum = 0;  // of no order
    for (const Entry& entry : lists[i]) sum += joined(other[entry.at], entry.what());
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

}  // namespace

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

}  // namespace rarefact::pair_types
