#pragma once

/// Queries and answers of pairs that are alike, as types; and how types are told apart whatever their numbers are.

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "model/pairs.hpp"

namespace rarefact::pair_types {

using Hash = std::uint64_t;

/// The finaliser of SplitMix64.
inline Hash mixed(Hash x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
inline Hash joined(Hash a, Hash b) {
  return mixed(a ^ mixed(b));
}
inline Hash bits(double x) {
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

/// Types of queries and answers and what ties them.
struct Types {
  Kinds query, answer;
  std::vector<double> probability;
  Lists columns, rows;  ///< over types
  std::vector<Hash> query_colour, answer_colour;
};

/// Those of pairs, twins merged, with colours that no further refinement would tell apart.
Types types_of(const Pairs& pairs);

}  // namespace rarefact::pair_types
