#include "algebra/symmetric_parts.hpp"

#include <optional>

#include "algebra/ranked_svd.hpp"
#include "core/real50.hpp"

namespace rarefact {

template <class Real>
IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>& x, bool normed) {
  using std::abs;
  using namespace symmetric_detail;
  const GroupStructure& s = x.structure();
  const auto &row_roots = s.roots<Real>(Side::rows), &column_roots = s.roots<Real>(Side::columns);
  const MultiplicityRoots<Real> multiplicity(s);
  IrreducibleParts<Real> parts{VectorOf<Real>(x.diagonal_entries().size()),
                               MatrixOf<Real>(s.rows(), s.columns())};
  if (normed) parts.trivial_norms = parts.contrast_norms = VectorOf<Real>(s.columns());
  for (Index c = 0, begin = 0; c < s.columns(); ++c) {
    const Index i = s.column_types().group(c), first = s.row_types().begin(i), height = s.row_types().size(i);
    const Real n(s.count[i]);
    const Real *diagonal = x.diagonal_entries().data() + begin, *off = x.off_entries().col(c).data() + first;
    auto column = parts.trivial.col(c);
    column = x.off_entries().col(c).cwiseProduct(row_roots) * column_roots(c);
    auto contrast = parts.contrast.segment(begin, height);
    if (normed) {
      // Sizes of the terms, where entries are sums.
      for (Index r = 0; r < height; ++r) {
        const Real inside = abs(diagonal[r]), outside = abs(off[r]);
        column(first + r) = multiplicity.times(first + r, c, inside + (n - Real(1)) * outside);
        contrast(r) = multiplicity.times(first + r, c, inside + outside);
      }
      parts.trivial_norms(c) = safe_norm(column);
      parts.contrast_norms(c) = safe_norm(contrast);
    }
    for (Index r = 0; r < height; ++r) {
      // O + (n - 1) B and not A + n B: it is exact for n = 1 and has one subtraction less.
      column(first + r) = multiplicity.times(first + r, c, diagonal[r] + (n - Real(1)) * off[r]);
      contrast(r) = n > Real(1) ? multiplicity.times(first + r, c, diagonal[r] - off[r]) : Real(0);
    }
    begin += height;
  }
  return parts;
}

namespace {

/// The numbers that the rows of each column share outside of the diagonal blocks; nullopt if they share none.
template <class Real>
std::optional<VectorOf<Real>> common_row(const SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  const MatrixOf<Real>& off = x.off_entries();
  VectorOf<Real> common = VectorOf<Real>::Zero(s.columns());
  for (Index c = 0; c < s.columns(); ++c) {
    const Index own = s.column_types().group(c);
    bool first = true;
    for (Index r = 0; r < s.rows(); ++r) {
      if (!(s.count[own] > 1) && s.row_types().group(r) == own) continue;  // a single component has no other
      if (first) common(c) = off(r, c);
      first = false;
      if (off(r, c) != common(c)) return std::nullopt;
    }
  }
  return common;
}

/// Reflects the columns of X so that u, of length 1, becomes ±e_0; returns the sign.
template <class Real>
Real reflect(MatrixOf<Real>& x, VectorOf<Real> u) {
  const Real sign(u(0) < Real(0) ? 1 : -1);
  u(0) -= sign;
  const VectorOf<Real> along = x.transpose() * u / (u.squaredNorm() / Real(2));
  x -= u * along.transpose();
  return sign;
}

}  // namespace

template <class Real>
void set_common_rows_apart(const SymmetricMatrix<Real>& x, IrreducibleParts<Real>& parts) {
  const GroupStructure& s = x.structure();
  constexpr double large = 1e6;
  if (s.rows() < 2 || s.columns() < 2) return;
  const auto common = common_row(x);
  if (!common) return;
  const VectorOf<Real> left = s.roots<Real>(symmetric_detail::Side::rows),
                       right = common->cwiseProduct(s.roots<Real>(symmetric_detail::Side::columns));
  const symmetric_detail::MultiplicityRoots<Real> multiplicity(s);
  MatrixOf<Real> rest = MatrixOf<Real>::Zero(s.rows(), s.columns());
  for (Index c = 0, entry = 0; c < s.columns(); ++c) {
    const Index i = s.column_types().group(c);
    for (Index r = s.row_types().begin(i); r < s.row_types().begin(i + 1); ++r, ++entry)
      rest(r, c) = multiplicity.times(r, c, x.diagonal_entries()(entry) - (*common)(c));
  }
  const Real left_norm = safe_norm(left), right_norm = safe_norm(right), other = safe_norm(rest);
  if (!(left_norm * right_norm > Real(large) * other)) return;
  // Small columns would lose their digits to the rotation, which mixes them with large ones.
  const VectorOf<Real> lengths = column_norms(rest);
  constexpr double graded = 1e-3;
  if (!(lengths.minCoeff() > Real(graded) * lengths.maxCoeff())) return;
  const Real sign = reflect<Real>(rest, left / left_norm);
  MatrixOf<Real> rows = rest.transpose();
  const Real both = sign * reflect<Real>(rows, right / right_norm);
  parts.trivial = rows.transpose();
  parts.trivial(0, 0) += both * left_norm * right_norm;
  parts.trivial_norms.setConstant(std::max<Real>(parts.contrast_norms.maxCoeff(), other));
  parts.trivial_norms(0) = safe_norm(parts.trivial.col(0));
}

template <class Real>
SymmetricMatrix<Real> from_parts(SharedStructure structure, const IrreducibleParts<Real>& parts) {
  using namespace symmetric_detail;
  SymmetricMatrix<Real> x(std::move(structure));
  const GroupStructure& s = x.structure();
  const VectorOf<Real> inverse_rows = s.roots<Real>(Side::rows).cwiseInverse();
  const auto& column_roots = s.roots<Real>(Side::columns);
  const MultiplicityRoots<Real> multiplicity(s);
  for (Index c = 0, entry = 0; c < s.columns(); ++c) {
    const Index i = s.column_types().group(c);
    const Real n(s.count[i]);
    const bool several = n > Real(1);
    x.off_entries().col(c) = parts.trivial.col(c).cwiseProduct(inverse_rows) / column_roots(c);
    for (Index r = s.row_types().begin(i); r < s.row_types().begin(i + 1); ++r, ++entry) {
      const Real &trivial = parts.trivial(r, c), &contrast = parts.contrast(entry);
      const Real off = several ? Real((trivial - contrast) / n) : Real(0);
      x.off_entries()(r, c) = multiplicity.over(r, c, off);
      x.diagonal_entries()(entry) = multiplicity.over(r, c, several ? Real(contrast + off) : trivial);
    }
  }
  return x;
}

template <class Real>
SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>& x,
                                   const std::type_identity_t<PartFunction<Real>>& of_trivial,
                                   const std::type_identity_t<PartFunction<Real>>& of_contrast) {
  const GroupStructure& s = x.structure();
  IrreducibleParts<Real> parts = irreducible_parts(x, true);
  const VectorOf<Real>& norms = parts.trivial_norms;
  if (const Index zeros = (norms.array() == Real(0)).count(); zeros == 0) {
    of_trivial(parts.trivial, norms);
  } else if (zeros < norms.size()) {
    std::vector<Index> kept;  // columns of zeros have no part in any function
    for (Index c = 0; c < norms.size(); ++c)
      if (norms(c) != Real(0)) kept.push_back(c);
    MatrixOf<Real> part = parts.trivial(Eigen::all, kept);
    of_trivial(part, norms(kept));
    parts.trivial(Eigen::all, kept) = part;
  }
  symmetric_detail::for_contrasts(
      s, parts, [&](Index i, MatrixOf<Real>& part, const VectorOf<Real>& of_columns) {
        of_contrast(part, of_columns);
        std::copy_n(part.data(), part.size(), parts.contrast.data() + s.diagonal_begin(i));
      });
  return from_parts(x.shared_structure(), parts);
}

template <class Real>
void to_polar(MatrixOf<Real>& part, const VectorOf<Real>& reference_norms, const Workers& workers,
              Index max_rank) {
  using std::abs;
  if (max_rank == 0) {
    part.setZero();
  } else if (part.size() == 1) {
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
    part = polar_factor<Real>(part, reference_norms, workers, max_rank);
  } else {
    part = mapped_singular_values<Real>(
        ranked_svd<Real>(part, reference_norms, workers, max_rank), [](const Real&) { return Real(1); },
        workers);
  }
}

#define RAREFACT_PARTS(Real)                                                                           \
  template IrreducibleParts<Real> irreducible_parts(const SymmetricMatrix<Real>&, bool);               \
  template void set_common_rows_apart(const SymmetricMatrix<Real>&, IrreducibleParts<Real>&);          \
  template SymmetricMatrix<Real> from_parts(SharedStructure, const IrreducibleParts<Real>&);           \
  template SymmetricMatrix<Real> mapped_parts(const SymmetricMatrix<Real>&, const PartFunction<Real>&, \
                                              const PartFunction<Real>&);                              \
  template void to_polar(MatrixOf<Real>&, const VectorOf<Real>&, const Workers&, Index);

RAREFACT_PARTS(double)
RAREFACT_PARTS(Real50)

}  // namespace rarefact
