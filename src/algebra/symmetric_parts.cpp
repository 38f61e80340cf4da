#include "algebra/symmetric_parts.hpp"

#include "algebra/compact_part.hpp"
#include "algebra/ranked_svd.hpp"
#include "core/real50.hpp"

namespace rarefact {

template <class Real>
IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>& x) {
  using namespace symmetric_detail;
  const GroupStructure& s = x.structure();
  const TwinRoots<Real> twins(s);
  IrreducibleParts<Real> parts{VectorOf<Real>::Zero(x.own_entries().size()),
                               side_roots<Real>(s, Side::rows).asDiagonal() * x.other_entries() *
                                   side_roots<Real>(s, Side::columns).asDiagonal()};
  for_own_entries<Real>(s, [&](Index r, Index c, Index entry, const Real& n) {
    const Real &own = x.own_entries()(entry), &other = x.other_entries()(r, c);
    // O + (n - 1) B and not A + n B: it is exact for n = 1 and has one subtraction less.
    parts.trivial(r, c) = twins.times(r, c, own + (n - Real(1)) * other);
    if (n > Real(1)) parts.contrast(entry) = twins.times(r, c, own - other);
  });
  return parts;
}

template <class Real>
SymmetricMatrix<Real> from_parts(SharedStructure structure, const IrreducibleParts<Real>& parts) {
  using namespace symmetric_detail;
  SymmetricMatrix<Real> x(std::move(structure));
  const GroupStructure& s = x.structure();
  const TwinRoots<Real> twins(s);
  const VectorOf<Real> rows = side_roots<Real>(s, Side::rows).cwiseInverse(),
                       columns = side_roots<Real>(s, Side::columns).cwiseInverse();
  x.other_entries() = rows.asDiagonal() * parts.trivial * columns.asDiagonal();
  for_own_entries<Real>(s, [&](Index r, Index c, Index entry, const Real& n) {
    const Real &trivial = parts.trivial(r, c), &contrast = parts.contrast(entry);
    const bool several = n > Real(1);
    const Real other = several ? Real((trivial - contrast) / n) : Real(0);
    x.other_entries()(r, c) = twins.over(r, c, other);
    x.own_entries()(entry) = twins.over(r, c, several ? Real(contrast + other) : trivial);
  });
  return x;
}

template <class Real>
std::pair<VectorOf<Real>, VectorOf<Real>> symmetric_detail::reference_norms(const SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  const TwinRoots<Real> twins(s);
  const VectorOf<Real> rows = side_roots<Real>(s, Side::rows), columns = side_roots<Real>(s, Side::columns);
  // Sizes of the terms of T and of the A_i.
  MatrixOf<Real> trivial = rows.asDiagonal() * x.other_entries().cwiseAbs() * columns.asDiagonal();
  VectorOf<Real> contrast(x.own_entries().size());
  for_own_entries<Real>(s, [&](Index r, Index c, Index entry, const Real& n) {
    using std::abs;
    const Real own = abs(x.own_entries()(entry)), other = abs(x.other_entries()(r, c));
    trivial(r, c) = twins.times(r, c, own + (n - Real(1)) * other);
    contrast(entry) = twins.times(r, c, own + other);
  });
  std::pair<VectorOf<Real>, VectorOf<Real>> norms{VectorOf<Real>(s.columns()), VectorOf<Real>(s.columns())};
  for (Index i = 0, entry = 0; i < s.groups(); ++i) {
    const Index height = s.row_types().size(i);
    for (Index c = s.column_types().begin(i); c < s.column_types().begin(i + 1); ++c, entry += height) {
      norms.first(c) = safe_norm(trivial.col(c));
      norms.second(c) = safe_norm(contrast.segment(entry, height));
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
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x);
  const CompactPart<Real> compact(x);
  parts.trivial =
      !compact.smaller() ? of_trivial(parts.trivial, trivial_norms)
      : compact.empty()
          ? parts.trivial
          : compact.expanded(of_trivial(compact.reduced(parts.trivial), compact.reduced(trivial_norms)));
  symmetric_detail::for_contrasts(s, parts, contrast_norms,
                                  [&](Index i, const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
                                    own_block(parts.contrast, s, i) = of_contrast(part, norms);
                                  });
  return from_parts(x.shared_structure(), parts);
}

template <class Real>
MatrixOf<Real> polar_of_part(const MatrixOf<Real>& part, const VectorOf<Real>& reference_norms,
                             const Workers& workers) {
  using std::abs;
  if (part.size() == 1) {
    const Real least =
        Real(rank_tolerance_factor) * std::numeric_limits<Real>::epsilon() * reference_norms(0);
    const Real &x = part(0, 0), size = abs(x);
    return MatrixOf<Real>::Constant(1, 1, size <= least ? Real(0) : Real(x / size));
  }
  if (part.rows() == 1 || part.cols() == 1) {
    const auto longest = static_cast<double>(part.size());
    const Real tolerance = Real(rank_tolerance_factor * longest) * std::numeric_limits<Real>::epsilon();
    MatrixOf<Real> kept = part;
    for (Index c = 0; c < kept.cols(); ++c)
      if (safe_norm(kept.col(c)) <= tolerance * reference_norms(c)) kept.col(c).setZero();
    const Real norm = safe_norm(kept);
    return norm == Real(0) ? kept : MatrixOf<Real>(kept / norm);
  }
  if (!is_wide(part)) return polar_factor<Real>(part, reference_norms, workers);
  return mapped_singular_values<Real>(
      ranked_svd<Real>(part, reference_norms, workers), [](const Real&) { return Real(1); }, workers);
}

#define RAREFACT_PARTS(Real)                                                                           \
  template IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>&);                     \
  template SymmetricMatrix<Real> from_parts(SharedStructure, const IrreducibleParts<Real>&);           \
  template std::pair<VectorOf<Real>, VectorOf<Real>> symmetric_detail::reference_norms(                \
      const SymmetricMatrix<Real>&);                                                                   \
  template SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>&, const PartFunction<Real>&, \
                                              const PartFunction<Real>&);                              \
  template MatrixOf<Real> polar_of_part(const MatrixOf<Real>&, const VectorOf<Real>&, const Workers&);

RAREFACT_PARTS(double)
RAREFACT_PARTS(Real50)

}  // namespace rarefact
