#include <cmath>
#include <utility>

#include "algebra/decompositions.hpp"
#include "algebra/padded_columns.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// The rounding noise of the cosine of two unit vectors with `rows` entries.
template <class Real>
Real tolerance_of(Index rows) {
  using std::sqrt;
  return std::numeric_limits<Real>::epsilon() * (Real(4) + sqrt(Real(static_cast<double>(rows))) / Real(2));
}

/// Unit columns, stored above the columns that are rotated with them, padded with zeros.
template <class Real>
class Columns {
  using Four = Eigen::Array<Real, lanes, 1>;
  using Pairs = std::array<std::pair<Real*, Real*>, lanes>;

 public:
  Columns(const MatrixOf<Real>& l, const MatrixOf<Real>& beside)
      : upper_(padded(l.rows())),
        height_(upper_ + padded(beside.rows())),
        count_(l.cols()),
        tolerance_(tolerance_of<Real>(l.rows())),
        entries_(VectorOf<Real>::Zero(height_ * (count_ + 1))),
        sigma_(VectorOf<Real>::Zero(count_ + 1)) {
    for (Index c = 0; c < count_; ++c) {
      std::copy_n(l.col(c).data(), l.rows(), column(c));
      if (beside.rows() > 0) std::copy_n(beside.col(c).data(), beside.rows(), column(c) + upper_);
      const Real largest = l.col(c).cwiseAbs().maxCoeff();
      if (!(largest > Real(0))) continue;  // orthogonal to all
      for (Index i = 0; i < upper_; i += lanes) at(column(c) + i) /= largest;
      sigma_(c) = largest;
      normalise(c);
    }
  }

  /// Visits every pair once, in rounds of disjoint pairs (round robin). True if a pair was not orthogonal.
  bool sweep() {
    const Index circle = count_ - 1 + count_ % 2, in_round = (circle + 1) / 2;
    bool rotated = false;
    for (Index round = 0; round < circle; ++round) {
      for (Index first = 0; first < in_round; first += lanes) {
        std::array<Index, lanes> x, y;
        for (Index p = first; p < first + lanes; ++p) {
          Index a = p == 0 ? circle : round + p, b = round - p;
          if (p > 0 && a >= circle) a -= circle;
          if (b < 0) b += circle;
          // A pair with a missing member, or beyond the last pair, is replaced by two zero columns.
          if (p >= in_round || a >= count_) a = b = count_;
          const bool in_order = sigma_(a) >= sigma_(b);
          x[p - first] = in_order ? a : b;
          y[p - first] = in_order ? b : a;
        }
        rotated = turn(x, y) || rotated;
      }
    }
    return rotated;
  }

  JacobiResult<Real> result(Index rows, Index rows_beside) {
    JacobiResult<Real> result{MatrixOf<Real>(rows, count_), MatrixOf<Real>(rows_beside, count_), {}};
    for (Index c = 0; c < count_; ++c) {
      normalise(c);
      std::copy_n(column(c), rows, result.n.col(c).data());
      if (rows_beside > 0) std::copy_n(column(c) + upper_, rows_beside, result.j.col(c).data());
    }
    result.sigma = sigma_.head(count_);
    return result;
  }

 private:
  Real* column(Index c) { return entries_.data() + c * height_; }

  Four dots(const Pairs& pairs) const {
    std::array<Four, lanes> sums;
    for (Four& sum : sums) sum.setZero();
    for (Index i = 0; i < upper_; i += lanes) {
      for (Index p = 0; p < lanes; ++p) sums[p] += at(pairs[p].first + i) * at(pairs[p].second + i);
    }
    return {sums[0].sum(), sums[1].sum(), sums[2].sum(), sums[3].sum()};
  }

  void normalise(Index c) {
    Real* const x = column(c);
    Four squares = Four::Zero();
    for (Index i = 0; i < upper_; i += lanes) squares += at(x + i).square();
    using std::sqrt;
    const Real norm = sqrt(squares.sum());
    sigma_(c) *= norm;
    if (!(norm > Real(0))) return;
    const Real inverse = Real(1) / norm;
    for (Index i = 0; i < upper_; i += lanes) at(x + i) *= inverse;
  }

  /// Rotates four disjoint pairs, x the larger columns. The tangent of the angle is ratio x tau, finite as ratio
  /// -> 0. Orthogonal to rounding once |cosine| <= tolerance. Rotations down to tolerance x ratio are still made
  /// (not counted, so they cannot prolong the loop): they give the small column's components along large ones,
  /// of size ratio, their digits, which products with the graded matrix need.
  bool turn(const std::array<Index, lanes>& x, const std::array<Index, lanes>& y) {
    const Real least = std::numeric_limits<Real>::min(), digits_left(0.5);
    Pairs pairs;
    Four larger, smaller;
    for (Index p = 0; p < lanes; ++p) {
      pairs[p] = {column(x[p]), column(y[p])};
      larger(p) = sigma_(x[p]);
      smaller(p) = sigma_(y[p]);
    }
    const Four cosine = dots(pairs), size = cosine.abs(), ratio = smaller / larger.max(least);
    Four chosen;
    for (Index p = 0; p < lanes; ++p) chosen(p) = Real(size(p) > tolerance_ * ratio(p) ? 1 : 0);
    if (!(chosen.sum() > Real(0))) return false;
    const Four gap = (Real(1) - ratio) * (Real(1) + ratio), doubled = Real(2) * ratio * cosine;
    const Four tau =
        chosen * (Real(-2) * cosine / (gap + (gap.square() + doubled.square()).sqrt()).max(least));
    const Four tangent = ratio * tau, c = (Real(1) + tangent.square()).rsqrt(), s = c * tangent;
    // Factors by which the columns' norms change; the rotation preserves the sum of squares.
    const Four grown = (Real(1) - ratio * tangent * cosine).sqrt(),
               shrunk = (Real(1) + tau * cosine).max(Real(0)).sqrt();
    Four left = shrunk;
    for (Index p = 0; p < lanes; ++p) left(p) = shrunk(p) > digits_left ? shrunk(p) : Real(1);
    const Four xx = c / grown, xy = ratio * s / grown, yy = c / left, yx = c * tau / left;
    for (Index p = 0; p < lanes; ++p) {
      if (!(chosen(p) > Real(0))) continue;
      const auto [a, b] = pairs[p];
      for (Index i = 0; i < upper_; i += lanes) rotate(a + i, b + i, xx(p), xy(p), yy(p), yx(p));
      for (Index i = upper_; i < height_; i += lanes) rotate(a + i, b + i, c(p), s(p), c(p), s(p));
      sigma_(x[p]) *= grown(p);
      sigma_(y[p]) *= left(p);
      if (!(shrunk(p) > digits_left)) normalise(y[p]);
    }
    return size.maxCoeff() > tolerance_;
  }

  static void rotate(Real* x, Real* y, const Real& xx, const Real& xy, const Real& yy, const Real& yx) {
    const Four a = at(x), b = at(y);
    at(x) = xx * a - xy * b;
    at(y) = yy * b + yx * a;
  }

  Index upper_, height_, count_;
  Real tolerance_;
  VectorOf<Real> entries_, sigma_;
};

}  // namespace

template <class Real>
JacobiResult<Real> one_sided_jacobi(const MatrixOf<Real>& l, const MatrixOf<Real>& beside, int sweeps) {
  Columns<Real> columns(l, beside);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    if (!columns.sweep()) break;
  return columns.result(l.rows(), beside.rows());
}
template JacobiResult<double> one_sided_jacobi(const Matrix&, const Matrix&, int);
template JacobiResult<Real50> one_sided_jacobi(const MatrixOf<Real50>&, const MatrixOf<Real50>&, int);

}  // namespace rarefact
