#pragma once

/// Structured matrices written out entry by entry.

#include "algebra/algebra.hpp"

namespace reference {

/// The types of the rows, or columns, of the full matrix, and their components: by group, component, type, copy.
struct Places {
  std::vector<rarefact::Index> type, component;

  Places(const rarefact::GroupStructure& s, rarefact::GroupStructure::Side side) {
    const rarefact::GroupTypes& types = s.types(side);
    rarefact::Index all_components = 0;
    for (rarefact::Index i = 0; i < s.groups(); ++i) {
      for (double n = 0; n < s.count[i]; ++n, ++all_components) {
        for (rarefact::Index a = types.begin(i); a < types.begin(i + 1); ++a) {
          for (double copy = 0; copy < types.multiplicity(a); ++copy)
            type.push_back(a), component.push_back(all_components);
        }
      }
    }
  }
};

/// The full matrix.
template <class Real>
rarefact::MatrixOf<Real> expand(const rarefact::SymmetricMatrix<Real>& x) {
  using rarefact::Index;
  const auto& s = x.structure();
  using Side = rarefact::GroupStructure::Side;
  const Places rows(s, Side::rows), columns(s, Side::columns);
  rarefact::MatrixOf<Real> full(rows.type.size(), columns.type.size());
  for (std::size_t l = 0; l < columns.type.size(); ++l) {
    const Index a = columns.type[l], i = s.column_types().group(a);
    for (std::size_t k = 0; k < rows.type.size(); ++k) {
      const Index b = rows.type[k];
      full(static_cast<Index>(k), static_cast<Index>(l)) =
          rows.component[k] == columns.component[l]
              ? x.diagonal_block(i)(b - s.row_types().begin(i), a - s.column_types().begin(i))
              : x.off_entries()(b, a);
    }
  }
  return full;
}

inline rarefact::Matrix expand(const rarefact::ColumnMatrix& x) {
  using rarefact::Index;
  std::vector<Index> group;
  for (Index i = 0; i < x.right.size(); ++i) {
    for (Index n = 0; n < static_cast<Index>(x.structure->count[i]); ++n) group.push_back(i);
  }
  const auto size = static_cast<Index>(group.size());
  rarefact::Matrix full(size, size);
  for (Index l = 0; l < size; ++l) {
    full.col(l).setConstant(x.wrong(group[l]));
    full(l, l) = x.right(group[l]);
  }
  return full;
}

/// A vector along a side of a structured matrix.
template <class Real>
rarefact::VectorOf<Real> expand(const rarefact::VectorOf<Real>& v, const rarefact::GroupStructure& s,
                                rarefact::GroupStructure::Side side) {
  const Places places(s, side);
  rarefact::VectorOf<Real> full(places.type.size());
  for (std::size_t k = 0; k < places.type.size(); ++k)
    full(static_cast<rarefact::Index>(k)) = v(places.type[k]);
  return full;
}

}  // namespace reference
