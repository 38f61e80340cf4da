#include "algebra/symmetric_parts.hpp"

#include "algebra/ranked_svd.hpp"
#include "core/real50.hpp"

namespace rarefact {

template <class Real>
IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>& x) {
  using namespace symmetric_detail;
  const GroupStructure& s = x.structure();
  const SideRoots<Real> roots(s);
  const MultiplicityRoots<Real> multiplicity(s);
  IrreducibleParts<Real> parts{VectorOf<Real>::Zero(x.diagonal_entries().size()),
                               roots.rows.asDiagonal() * x.off_entries() * roots.columns.asDiagonal()};
  for_diagonal_entries<Real>(s, [&](Index r, Index c, Index entry, const Real& n) {
    const Real &diagonal = x.diagonal_entries()(entry), &off = x.off_entries()(r, c);
    // O + (n - 1) B and not A + n B: it is exact for n = 1 and has one subtraction less.
    parts.trivial(r, c) = multiplicity.times(r, c, diagonal + (n - Real(1)) * off);
    if (n > Real(1)) parts.contrast(entry) = multiplicity.times(r, c, diagonal - off);
  });
  return parts;
}

template <class Real>
SymmetricMatrix<Real> from_parts(SharedStructure structure, const IrreducibleParts<Real>& parts) {
  using namespace symmetric_detail;
  SymmetricMatrix<Real> x(std::move(structure));
  const GroupStructure& s = x.structure();
  const SideRoots<Real> roots(s);
  const MultiplicityRoots<Real> multiplicity(s);
  x.off_entries() =
      roots.rows.cwiseInverse().asDiagonal() * parts.trivial * roots.columns.cwiseInverse().asDiagonal();
  for_diagonal_entries<Real>(s, [&](Index r, Index c, Index entry, const Real& n) {
    const Real &trivial = parts.trivial(r, c), &contrast = parts.contrast(entry);
    const bool several = n > Real(1);
    const Real off = several ? Real((trivial - contrast) / n) : Real(0);
    x.off_entries()(r, c) = multiplicity.over(r, c, off);
    x.diagonal_entries()(entry) = multiplicity.over(r, c, several ? Real(contrast + off) : trivial);
  });
  return x;
}

template <class Real>
std::pair<VectorOf<Real>, VectorOf<Real>> symmetric_detail::reference_norms(const SymmetricMatrix<Real>& x,
                                                                            const MatrixOf<Real>& trivial) {
  using std::abs;
  const GroupStructure& s = x.structure();
  const GroupTypes &rows = s.row_types(), &columns = s.column_types();
  const MultiplicityRoots<Real> multiplicity(s);
  std::pair<VectorOf<Real>, VectorOf<Real>> norms{VectorOf<Real>(s.columns()), VectorOf<Real>(s.columns())};
  VectorOf<Real> column, contrast;
  for (Index i = 0, entry = 0; i < s.groups(); ++i) {
    const Real n(s.count[i]);
    contrast.resize(rows.size(i));
    for (Index c = columns.begin(i); c < columns.begin(i + 1); ++c) {
      // Sizes of the terms, where entries are sums.
      column = trivial.col(c);
      for (Index r = rows.begin(i); r < rows.begin(i + 1); ++r, ++entry) {
        const Real diagonal = abs(x.diagonal_entries()(entry)), off = abs(x.off_entries()(r, c));
        column(r) = multiplicity.times(r, c, diagonal + (n - Real(1)) * off);
        contrast(r - rows.begin(i)) = multiplicity.times(r, c, diagonal + off);
      }
      norms.first(c) = safe_norm(column);
      norms.second(c) = safe_norm(contrast);
    }
  }
  return norms;
}

template <class Real>
SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>& x,
                                   const std::type_identity_t<PartFunction<Real>>& of_trivial,
                                   const std::type_identity_t<PartFunction<Real>>& of_contrast) {
  const GroupStructure& s = x.structure();
  IrreducibleParts<Real> parts = irreducible_parts(x);
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x, parts.trivial);
  std::vector<Index> kept;  // columns of zeros have no part in any function
  for (Index c = 0; c < trivial_norms.size(); ++c)
    if (trivial_norms(c) != Real(0)) kept.push_back(c);
  if (std::ssize(kept) == trivial_norms.size()) {
    of_trivial(parts.trivial, trivial_norms);
  } else if (!kept.empty()) {
    MatrixOf<Real> part = parts.trivial(Eigen::all, kept);
    of_trivial(part, trivial_norms(kept));
    parts.trivial(Eigen::all, kept) = part;
  }
  symmetric_detail::for_contrasts(s, parts, contrast_norms,
                                  [&](Index i, MatrixOf<Real>& part, const VectorOf<Real>& norms) {
                                    of_contrast(part, norms);
                                    diagonal_block_of(parts.contrast, s, i) = part;
                                  });
  return from_parts(x.shared_structure(), parts);
}

template <class Real>
void to_polar(MatrixOf<Real>& part, const VectorOf<Real>& reference_norms, const Workers& workers) {
  using std::abs;
  if (part.size() == 1) {
    const Real least = rank_tolerance(part) * reference_norms(0);
    const Real size = abs(part(0, 0));
    part(0, 0) = size <= least ? Real(0) : Real(part(0, 0) / size);
  } else if (part.rows() == 1 || part.cols() == 1) {
    const Real tolerance = rank_tolerance(part);
    for (Index c = 0; c < part.cols(); ++c)
      if (safe_norm(part.col(c)) <= tolerance * reference_norms(c)) part.col(c).setZero();
    const Real norm = safe_norm(part);
    if (norm > Real(0)) part /= norm;
  } else if (!is_wide(part)) {
    part = polar_factor<Real>(part, reference_norms, workers);
  } else {
    part = mapped_singular_values<Real>(
        ranked_svd<Real>(part, reference_norms, workers), [](const Real&) { return Real(1); }, workers);
  }
}

#define RAREFACT_PARTS(Real)                                                                           \
  template IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>&);                     \
  template SymmetricMatrix<Real> from_parts(SharedStructure, const IrreducibleParts<Real>&);           \
  template std::pair<VectorOf<Real>, VectorOf<Real>> symmetric_detail::reference_norms(                \
      const SymmetricMatrix<Real>&, const MatrixOf<Real>&);                                            \
  template SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>&, const PartFunction<Real>&, \
                                              const PartFunction<Real>&);                              \
  template void to_polar(MatrixOf<Real>&, const VectorOf<Real>&, const Workers&);

RAREFACT_PARTS(double)
RAREFACT_PARTS(Real50)

}  // namespace rarefact
