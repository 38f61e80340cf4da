#pragma once

/// Symmetric and column matrices of random entries, and structures of every kind.

#include "algebra/column_matrix.hpp"
#include "algebra/symmetric_matrix.hpp"
#include "core/random.hpp"

namespace reference {

inline rarefact::SharedStructure structure(rarefact::Index block, std::vector<double> count) {
  return std::make_shared<const rarefact::GroupStructure>(
      rarefact::GroupStructure::blocks(block, std::move(count)));
}

/// Of every group the multiplicities of its types.
using Multiplicities = std::vector<std::vector<double>>;

inline rarefact::SharedStructure structure(std::vector<double> count, const Multiplicities& rows,
                                           const Multiplicities& columns) {
  return std::make_shared<const rarefact::GroupStructure>(std::move(count), rarefact::GroupTypes(rows),
                                                          rarefact::GroupTypes(columns));
}

/// Structures of answers and queries in unlike numbers, with a name each.
inline const std::vector<std::pair<const char*, rarefact::SharedStructure>>& rectangular_structures() {
  static const std::vector<std::pair<const char*, rarefact::SharedStructure>> all = {
      {"many to one", structure({4, 1, 3}, {{1}, {1}, {1}}, {{2, 1, 3}, {1, 4, 2}, {1, 1, 2}})},
      {"one to many", structure({2, 1, 3}, {{2, 1, 3}, {1, 2, 1}, {1, 1, 1}}, {{1}, {1}, {1}})},
      {"identical types on both sides", structure({3, 2}, {{1, 2}, {3}}, {{2, 1, 1}, {1, 2}})},
      {"single components", structure({1, 2, 1}, {{1, 2}, {1}, {3, 1}}, {{2}, {1, 1}, {1, 2}})},
      {"answers without queries", structure({3, 2, 1}, {{1, 2}, {1}, {2}}, {{1, 3}, {}, {}})},
      {"queries without answers", structure({2, 3}, {{}, {1, 2}}, {{1, 2}, {1}})},
      {"blocks of 2 x 3", structure({2, 3, 1}, {{1, 1}, {1, 1}, {1, 1}}, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}})},
      {"wide", structure({3}, {{1, 1}}, {{1, 2, 1, 1, 1, 1}})},
      {"identical types of square blocks", structure({3, 1, 2}, {{2}, {3}, {1}}, {{2}, {3}, {1}})},
  };
  return all;
}

/// off_block(i, i) of a single component stays zero, as the type promises.
template <class Real = double>
rarefact::SymmetricMatrix<Real> random_symmetric(const rarefact::SharedStructure& s, std::uint64_t seed) {
  using rarefact::Index;
  const rarefact::RandomStream random(seed, "symmetric");
  rarefact::SymmetricMatrix<Real> x(s);
  for (Index i = 0; i < x.diagonal_entries().size(); ++i)
    x.diagonal_entries().data()[i] = Real(random.normal(0, static_cast<std::uint64_t>(i)));
  for (Index i = 0; i < x.off_entries().size(); ++i)
    x.off_entries().data()[i] = Real(random.normal(1, static_cast<std::uint64_t>(i)));
  for (Index i = 0; i < s->groups(); ++i) {
    if (s->count[i] <= 1) x.off_block(i, i).setZero();
  }
  return x;
}

inline rarefact::ColumnMatrix random_columns(const rarefact::SharedStructure& s, std::uint64_t seed) {
  const rarefact::RandomStream random(seed, "columns");
  rarefact::ColumnMatrix x(rarefact::square_columns(s->count));
  for (rarefact::Index i = 0; i < s->groups(); ++i) {
    x.right(i) = random.normal(0, static_cast<std::uint64_t>(i));
    x.wrong(i) = random.normal(1, static_cast<std::uint64_t>(i));
  }
  return x;
}

}  // namespace reference
