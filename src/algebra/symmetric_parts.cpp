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
  for (Index i = 0; i < s.groups(); ++i) {
    auto trivial = group_block(parts.trivial, s, i, i);
    // O + (n - 1) B rather than A + n B: exact for n = 1, and one subtraction less.
    trivial = x.own(i) + (Real(s.count[i]) - Real(1)) * x.other(i, i);
    twins.multiply(trivial, i, i);
    if (!(s.count[i] > 1)) continue;
    auto contrast = own_block(parts.contrast, s, i);
    contrast = x.own(i) - x.other(i, i);
    twins.multiply(contrast, i, i);
  }
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
  for (Index i = 0; i < s.groups(); ++i) {
    const auto trivial = group_block(parts.trivial, s, i, i);
    if (s.count[i] > 1) {
      const auto contrast = own_block(parts.contrast, s, i);
      x.other(i, i) = (trivial - contrast) / Real(s.count[i]);
      x.own(i) = contrast + x.other(i, i);
      twins.divide(x.other(i, i), i, i);
    } else {
      x.other(i, i).setZero();
      x.own(i) = trivial;
    }
    twins.divide(x.own(i), i, i);
  }
  return x;
}

template <class Real>
std::pair<VectorOf<Real>, VectorOf<Real>> symmetric_detail::reference_norms(const SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  const TwinRoots<Real> twins(s);
  const IrreducibleParts<Real> sizes =
      irreducible_parts(mapped(x, [](const Real& e) { return e < Real(0) ? Real(-e) : e; }));
  VectorOf<Real> trivial(s.columns()), contrast(s.columns());
  for (Index column = 0; column < s.columns(); ++column)
    trivial(column) = safe_norm(sizes.trivial.col(column));
  for (Index i = 0; i < s.groups(); ++i) {
    MatrixOf<Real> both = x.own(i).cwiseAbs() + x.other(i, i).cwiseAbs();
    twins.multiply(both, i, i);
    for (Index c = 0; c < both.cols(); ++c)
      contrast(s.column_types().begin(i) + c) = safe_norm(both.col(c).eval());
  }
  return {trivial, contrast};
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
