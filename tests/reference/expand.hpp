#pragma once

/// Structured matrices written out entry by entry.

#include "algebra/algebra.hpp"

namespace reference {

/// The K x K matrix: classes ordered by group, block, position.
inline rarefact::Matrix expand(const rarefact::SymmetricMatrix<double>& x) {
  using rarefact::Index;
  const auto& s = x.structure();
  const Index b = s.block;
  struct Class {
    Index group, block, position;
  };
  std::vector<Class> classes;
  for (Index i = 0; i < s.groups(); ++i) {
    for (Index n = 0; n < static_cast<Index>(s.count[static_cast<std::size_t>(i)]); ++n) {
      for (Index position = 0; position < b; ++position) classes.push_back({i, n, position});
    }
  }
  const auto size = static_cast<Index>(classes.size());
  rarefact::Matrix full(size, size);
  for (Index l = 0; l < size; ++l) {
    for (Index k = 0; k < size; ++k) {
      const Class& row = classes[static_cast<std::size_t>(k)];
      const Class& column = classes[static_cast<std::size_t>(l)];
      const bool same = row.group == column.group && row.block == column.block;
      full(k, l) = same ? x.own(row.group)(row.position, column.position)
                        : x.other(row.group, column.group)(row.position, column.position);
    }
  }
  return full;
}

inline rarefact::Matrix expand(const rarefact::ColumnMatrix& x) {
  using rarefact::Index;
  std::vector<Index> group;
  for (Index i = 0; i < x.own.size(); ++i) {
    for (Index n = 0; n < static_cast<Index>(x.structure->count[static_cast<std::size_t>(i)]); ++n)
      group.push_back(i);
  }
  const auto size = static_cast<Index>(group.size());
  rarefact::Matrix full(size, size);
  for (Index l = 0; l < size; ++l) {
    full.col(l).setConstant(x.other(group[static_cast<std::size_t>(l)]));
    full(l, l) = x.own(group[static_cast<std::size_t>(l)]);
  }
  return full;
}

/// A vector along an index of a structured matrix: one number for every class.
inline rarefact::Vector expand(const rarefact::Vector& v, const rarefact::GroupStructure& s) {
  std::vector<double> full;
  for (rarefact::Index i = 0; i < s.groups(); ++i) {
    for (double n = 0; n < s.count[static_cast<std::size_t>(i)]; ++n)
      for (rarefact::Index position = 0; position < s.block; ++position)
        full.push_back(v(i * s.block + position));
  }
  return Eigen::Map<const rarefact::Vector>(full.data(), static_cast<rarefact::Index>(full.size()));
}

}  // namespace reference
