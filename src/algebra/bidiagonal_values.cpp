#include "algebra/bidiagonal_values.hpp"

#include <Eigen/Householder>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rarefact {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// q_i = b_ii² and e_i = b_i,i+1² of the remaining part of B. The σ² of a block are its eigenvalues plus the
/// shifts made so far.
class Quotients {
 public:
  explicit Quotients(const Bidiagonal& b)
      : q_(b.diagonal.cwiseAbs2()), e_(b.above.cwiseAbs2()), next_q_(q_.size()), next_e_(e_.size()) {}

  /// The σ², unsorted.
  std::optional<Vector> squares() {
    Vector found(q_.size());
    Index number = 0, transforms = 40 * (q_.size() + 10);  // three to four per value are usual
    std::vector<Block> blocks = {{0, q_.size() - 1, 0}};
    while (!blocks.empty()) {
      Block block = blocks.back();
      blocks.pop_back();
      turn_over(block);
      while (block.low <= block.high) {
        if (const Index split = last_split(block); split >= block.low) {
          blocks.push_back({block.low, split, block.shifted});
          block = {split + 1, block.high, block.shifted};  // the bound was of the whole block's least
        }
        if (block.low == block.high) {
          found(number++) = block.shifted + q_(block.high--);
        } else {
          if (--transforms < 0) return std::nullopt;
          transform(block);
        }
      }
    }
    return found;
  }

 private:
  struct Block {
    Index low, high;
    double shifted;
    double above = 0;  ///< bound of the least eigenvalue at the last transform, tried as a shift; 0: none
  };
  /// The least quotient without the last, and the last, after a transform.
  struct Least {
    double before, last;
  };

  /// Reverses the block if that moves small values to the end, where they converge sooner.
  void turn_over(const Block& block) {
    const Index size = block.high - block.low + 1;
    if (!(1.5 * q_(block.low) < q_(block.high))) return;
    q_.segment(block.low, size).reverseInPlace();
    e_.segment(block.low, size - 1).reverseInPlace();
  }

  /// The last index whose e is negligible relative to its q or to all values; block.low - 1 if there is none.
  Index last_split(const Block& block) const {
    Index i = block.high - 1;
    while (i >= block.low && !(e_(i) <= 16 * eps * eps * std::max(q_(i), block.shifted))) --i;
    return i;
  }

  Least transform_once(const Block& block, double shift) {
    double d = q_(block.low) - shift, least = d;
    for (Index i = block.low; i < block.high; ++i) {
      least = std::min(least, d);
      next_q_(i) = d + e_(i);
      const double ratio = q_(i + 1) / next_q_(i);
      next_e_(i) = e_(i) * ratio;
      d = d * ratio - shift;
    }
    next_q_(block.high) = d;
    return {least, d};
  }

  /// One transform with the likely shift, which is reduced until all quotients stay positive.
  void transform(Block& block) {
    const Index size = block.high - block.low + 1;
    const double min_q = q_.segment(block.low, size).minCoeff(),
                 likely = q_(block.high) <= min_q ? likely_shift(block) : 0;
    // In clusters the least is rarely at the end; half of a bound that it nearly attains exceeds the discs'.
    double shift = likely > min_q / 4 ? likely : block.above > 0 ? block.above / 2 : sure_shift(block);
    Least least = transform_once(block, shift);
    for (int attempt = 1; shift > 0 && !(least.before >= 0 && least.last >= 0); ++attempt) {
      // If only the last quotient is negative, it is nearly the excess of the shift.
      const bool nearly = attempt == 1 && least.before >= 0;
      shift = nearly ? std::max(0.0, shift + least.last) : attempt < 3 ? sure_shift(block) : 0;
      least = transform_once(block, shift);
    }
    q_.segment(block.low, size) = next_q_.segment(block.low, size);
    e_.segment(block.low, size - 1) = next_e_.segment(block.low, size - 1);
    block.shifted += shift;
    block.above = std::min(least.before, least.last);
  }

  /// An estimate of the least eigenvalue: that of the last two rows of BBᵀ minus their coupling to the row
  /// above.
  double likely_shift(const Block& block) const {
    const Index h = block.high;
    const double a = q_(h - 1) + e_(h - 1), c = q_(h), beside = e_(h - 1) * c, half = (a - c) / 2;
    const double value = q_(h - 1) * c / ((a + c) / 2 + std::sqrt(half * half + beside));
    const double slope = beside / ((a - value) * (a - value));
    return value - (h - 1 > block.low ? std::sqrt(slope / (1 + slope) * e_(h - 2) * q_(h - 1)) : 0);
  }

  /// A lower bound of the eigenvalues of BBᵀ by Gershgorin's discs; 0 if they give none.
  double sure_shift(const Block& block) const {
    double bound = std::numeric_limits<double>::infinity(), before = 0;
    for (Index i = block.low; i <= block.high; ++i) {
      const double e = i < block.high ? e_(i) : 0, beside = i < block.high ? std::sqrt(e * q_(i + 1)) : 0;
      bound = std::min(bound, q_(i) + e - before - beside);
      before = beside;
    }
    return std::max(0.0, bound * (1 - 8 * eps));
  }

  Vector q_, e_, next_q_, next_e_;
};

}  // namespace

Bidiagonal bidiagonal(Matrix a) {
  const Index m = a.rows(), n = a.cols();
  Bidiagonal b{Vector(n), Vector(std::max<Index>(0, n - 1))};
  Vector row, image;
  double factor = 0;
  for (Index k = 0; k < n; ++k) {
    const Index right = n - k - 1;
    auto column = a.col(k).tail(m - k);
    column.makeHouseholderInPlace(factor, b.diagonal(k));
    if (right == 0) break;
    column(0) = 1;
    auto rest = a.bottomRightCorner(m - k, right);
    image.noalias() = rest.transpose() * (factor * column);
    rest.noalias() -= column * image.transpose();
    row = rest.row(0);
    row.makeHouseholderInPlace(factor, b.above(k));
    row(0) = 1;
    auto below = a.bottomRightCorner(m - k - 1, right);
    image.noalias() = below * (factor * row);
    below.noalias() -= image * row.transpose();
  }
  return b;
}

std::optional<Vector> singular_values(const Bidiagonal& b) {
  auto sigma = Quotients(b).squares();
  if (!sigma || !sigma->allFinite()) return std::nullopt;
  *sigma = sigma->cwiseSqrt();
  std::ranges::sort(*sigma, std::ranges::greater());
  return sigma;
}

std::optional<Vector> checked_singular_values(const Matrix& r) {
  const double unit = r.cwiseAbs().maxCoeff();
  const Matrix scaled = r / unit;
  const auto sigma = singular_values(bidiagonal(scaled.transpose()));
  // Backward errors of a sound decomposition are a few eps √n.
  const double squares = scaled.squaredNorm(), allowed = 1e3 * eps * std::sqrt(static_cast<double>(r.rows()));
  if (!sigma || !(std::abs(sigma->squaredNorm() - squares) <= allowed * squares)) return std::nullopt;
  return *sigma * unit;
}

}  // namespace rarefact
