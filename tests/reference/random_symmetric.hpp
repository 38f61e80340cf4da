#pragma once

/// Symmetric and column matrices of random entries.

#include "algebra/column_matrix.hpp"
#include "algebra/symmetric_matrix.hpp"
#include "core/random.hpp"

namespace reference {

inline rarefact::SharedStructure structure(rarefact::Index block, std::vector<double> count) {
  return std::make_shared<const rarefact::GroupStructure>(rarefact::GroupStructure{block, std::move(count)});
}

/// other(i, i) of a single block stays zero, as the type promises.
template <class Real = double>
rarefact::SymmetricMatrix<Real> random_symmetric(const rarefact::SharedStructure& s, std::uint64_t seed) {
  using rarefact::Index;
  const rarefact::RandomStream random(seed, "symmetric");
  rarefact::SymmetricMatrix<Real> x(s);
  for (Index i = 0; i < x.own_entries().size(); ++i)
    x.own_entries().data()[i] = Real(random.normal(0, static_cast<std::uint64_t>(i)));
  for (Index i = 0; i < x.other_entries().size(); ++i)
    x.other_entries().data()[i] = Real(random.normal(1, static_cast<std::uint64_t>(i)));
  for (Index i = 0; i < s->groups(); ++i) {
    if (s->count[static_cast<std::size_t>(i)] <= 1) x.other(i, i).setZero();
  }
  return x;
}

inline rarefact::ColumnMatrix random_columns(const rarefact::SharedStructure& s, std::uint64_t seed) {
  const rarefact::RandomStream random(seed, "columns");
  rarefact::ColumnMatrix x(rarefact::square_columns(s->count));
  for (rarefact::Index i = 0; i < s->groups(); ++i) {
    x.own(i) = random.normal(0, static_cast<std::uint64_t>(i));
    x.other(i) = random.normal(1, static_cast<std::uint64_t>(i));
  }
  return x;
}

}  // namespace reference
