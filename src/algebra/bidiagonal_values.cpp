#include "algebra/bidiagonal_values.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "algebra/eight_kernels.hpp"

namespace rarefact {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

constexpr Index at_once = 8;
/// `at_once` numbers from x on.
template <class Real>
auto vectors(Real* x) {
  using Numbers = Eigen::Array<double, at_once, 1>;
  return Eigen::Map<std::conditional_t<std::is_const_v<Real>, const Numbers, Numbers>>(x);
}

/// About 1/|x|, from its exponent; x is normal.
double inverse_power_of_two(double x) {
  constexpr std::uint64_t exponents = std::uint64_t{0x7ff} << 52, inverse_of_one = std::uint64_t{2046} << 52;
  return std::bit_cast<double>(inverse_of_one - (std::bit_cast<std::uint64_t>(x) & exponents));
}

/// q_i = b_ii² and e_i = b_i,i+1² of the remaining part of B. The σ² of a block are its eigenvalues plus the
/// shifts made so far.
class Quotients {
 public:
  explicit Quotients(const Bidiagonal& b) : q_(b.diagonal.size(), 2), e_(q_.rows(), 2) {
    q_.col(0) = b.diagonal.cwiseAbs2();
    e_.col(0).head(b.above.size()) = b.above.cwiseAbs2();
    trace_ = q_.col(0).sum() + e_.col(0).head(b.above.size()).sum();
  }

  /// The σ², unsorted.
  std::optional<Vector> squares() {
    Vector found(q_.rows());
    Index number = 0, transforms = 40 * (q_.rows() + 10);  // three to four per value are usual
    std::vector<Block> blocks = {part({}, 0, q_.rows() - 1)};
    while (!blocks.empty()) {
      Block block = blocks.back();
      blocks.pop_back();
      turn_over(block);
      while (block.low <= block.high) {
        if (const Index split = last_split(block); split >= block.low) {
          blocks.push_back(part(block, block.low, split));
          block = part(block, split + 1, block.high);  // bounds were of the whole block
        }
        if (block.low == block.high) {
          found(number++) = block.shifted + q(block)[block.high--];
        } else {
          if (--transforms < 0) return std::nullopt;
          transform(block);
        }
      }
    }
    return found;
  }

 private:
  /// The least quotient without the last, the last, and the least entries of q and e, after a transform.
  struct Least {
    double before, last, q, e;
  };
  struct Block {
    Index low = 0, high = 0;
    int side = 0;  ///< the column of q_ and e_; transforms write the other
    double shifted = 0;
    double above = 0;  ///< bound of the least eigenvalue at the last transform, tried as a shift; 0: none
    double least_q = 0, least_e = 0;
  };

  Block part(const Block& of, Index low, Index high) {
    const double least_q = *std::min_element(q(of) + low, q(of) + high + 1);
    return {low, high, of.side, of.shifted, 0, least_q, 0};
  }

  double* q(const Block& block) { return q_.col(block.side).data(); }
  double* e(const Block& block) { return e_.col(block.side).data(); }

  /// Reverses the block if that moves small values to the end, where they converge sooner.
  void turn_over(const Block& block) {
    if (!(1.5 * q(block)[block.low] < q(block)[block.high])) return;
    std::reverse(q(block) + block.low, q(block) + block.high + 1);
    std::reverse(e(block) + block.low, e(block) + block.high);
  }

  /// The last index whose e is negligible relative to its q or to all values; block.low - 1 if there is none.
  Index last_split(const Block& block) {
    constexpr double negligible = 16 * eps * eps;
    // No q exceeds the trace.
    if (!(block.least_e <= negligible * std::max(trace_, block.shifted))) return block.low - 1;
    Index i = block.high - 1;
    while (i >= block.low && !(e(block)[i] <= negligible * std::max(q(block)[i], block.shifted))) --i;
    return i;
  }

  /// A transform with d = n/m: m' = n + e m, n' = n q - shift m', and the new q is m'/m. A d then does not wait for the
  /// division that gave the last, and divisions are made for a vector at once.
  Least transform_once(const Block& block, double shift) {
    using Vectors = Eigen::Array<double, at_once, 1>;
    const double *q = q_.col(block.side).data(), *e = e_.col(block.side).data();
    double *next_q = q_.col(1 - block.side).data(), *next_e = e_.col(1 - block.side).data();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Vectors least = Vectors::Constant(infinity), least_q = least, least_e = least, over, before, after;
    // A power of two scales n and m every eight steps. Where quotients differ so much that they would over- or underflow
    // earlier, every step divides. The last q, which is tiny at convergence, is in no m.
    const double tiny = 1e-18 * trace_;
    const bool divide = !(block.least_q > tiny) && !(*std::min_element(q + block.low, q + block.high) > tiny);
    double n = q[block.low] - shift, m = 1, unit = 1;
    for (Index i = block.low; i < block.high; i += at_once) {
      const Index count = std::min(at_once, block.high - i);
      const double first_n = n * unit, first_m = m * unit;
      const auto steps = [&](Index number, bool always) {
        n = first_n;
        m = first_m;
        for (Index k = 0; k < number; ++k) {
          if (always) {  // so that m' is near 1
            n /= m;
            m = inverse_power_of_two(n + e[i + k]);
            n *= m;
          }
          over(k) = n;
          before(k) = m;
          const double product = n * q[i + k + 1];
          after(k) = m = std::fma(e[i + k], m, n);
          n = std::fma(-shift, m, product);
        }
      };
      steps(count, divide);
      constexpr double small = 1e-150;
      if (!divide && !(std::abs(m) > small && std::abs(m) < 1 / small)) steps(count, true);
      if (count < at_once) {
        for (Index k = 0; k < count; ++k) {
          const double inverse = 1 / before(k), new_q = after(k) * inverse,
                       new_e = e[i + k] * (q[i + k + 1] / new_q);
          next_q[i + k] = new_q;
          next_e[i + k] = new_e;
          least(k) = std::min(least(k), over(k) * inverse);
          least_q(k) = std::min(least_q(k), new_q);
          least_e(k) = std::min(least_e(k), new_e);
        }
        break;
      }
      unit = inverse_power_of_two(after(at_once / 2));
      const Vectors inverse = 1 / before, new_q = after * inverse;
      const Vectors new_e = vectors(e + i) * (vectors(q + i + 1) / new_q);
      vectors(next_q + i) = new_q;
      vectors(next_e + i) = new_e;
      least = least.min(over * inverse);
      least_q = least_q.min(new_q);
      least_e = least_e.min(new_e);
    }
    const double last = next_q[block.high] = n / m;
    return {least.minCoeff(), last, std::min(least_q.minCoeff(), last), least_e.minCoeff()};
  }

  /// One transform with the likely shift, which is reduced until all quotients stay positive.
  void transform(Block& block) {
    const double likely = q(block)[block.high] <= block.least_q ? likely_shift(block) : 0;
    // In clusters the least is rarely at the end; half of a bound that it nearly attains exceeds the discs'.
    double shift = likely > block.least_q / 4 ? likely
                   : block.above > 0          ? block.above / 2
                                              : sure_shift(block);
    Least least = transform_once(block, shift);
    for (int attempt = 1; shift > 0 && !(least.before >= 0 && least.last >= 0); ++attempt) {
      // If only the last quotient is negative, it is nearly the excess of the shift.
      const bool nearly = attempt == 1 && least.before >= 0;
      shift = nearly ? std::max(0.0, shift + least.last) : attempt < 3 ? sure_shift(block) : 0;
      least = transform_once(block, shift);
    }
    block.side = 1 - block.side;
    block.shifted += shift;
    block.above = std::min(least.before, least.last);
    block.least_q = least.q;
    block.least_e = least.e;
  }

  /// An estimate of the least eigenvalue, too small by more than rounding: that of the last two rows of BBᵀ minus the
  /// coupling r to the row above, or twice its effect r²/gap if that row is far from it.
  double likely_shift(const Block& block) {
    const double *last_q = q(block) + block.high, *last_e = e(block) + block.high;
    const double a = last_q[-1] + last_e[-1], c = last_q[0], beside = last_e[-1] * c, half = (a - c) / 2;
    const double value = last_q[-1] * c / ((a + c) / 2 + std::sqrt(half * half + beside));
    if (block.high - 1 == block.low) return value * (1 - 4 * eps);
    const double slope = beside / ((a - value) * (a - value)),
                 square = slope / (1 + slope) * last_e[-2] * last_q[-1], coupling = std::sqrt(square),
                 gap = last_q[-2] + last_e[-2] - value;
    return (value - (gap > 10 * coupling ? 2 * square / gap : coupling)) * (1 - 4 * eps);
  }

  /// A lower bound of the eigenvalues of BBᵀ by Gershgorin's discs; 0 if they give none.
  double sure_shift(const Block& block) {
    double bound = std::numeric_limits<double>::infinity(), before = 0;
    for (Index i = block.low; i < block.high; ++i) {
      const double beside = std::sqrt(e(block)[i] * q(block)[i + 1]);
      bound = std::min(bound, q(block)[i] + e(block)[i] - before - beside);
      before = beside;
    }
    bound = std::min(bound, q(block)[block.high] - before);
    return std::max(0.0, bound * (1 - 8 * eps));
  }

  Matrix q_, e_;
  double trace_;
};

}  // namespace

Bidiagonal bidiagonal(const Matrix& x) {
  return bidiagonal(x, eight_kernels());
}

Bidiagonal bidiagonal(const Matrix& x, const EightKernels& kernels) {
  const Index n = x.cols(), width = whole_eights(n), height = whole_eights(x.rows());
  const EightColumns a(x, height * (width - n + 3) + 2 * width);
  Bidiagonal b{Vector(n), Vector(std::max<Index>(0, n - 1))};
  kernels.bidiagonal({a.column(0), height, n, a.column(width), b.diagonal.data(), b.above.data()});
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
  const Matrix scaled = r.transpose() / unit;
  const auto sigma = singular_values(bidiagonal(scaled));
  // Backward errors of a sound decomposition are a few eps √n.
  const double squares = scaled.squaredNorm(), allowed = 1e3 * eps * std::sqrt(static_cast<double>(r.rows()));
  if (!sigma || !(std::abs(sigma->squaredNorm() - squares) <= allowed * squares)) return std::nullopt;
  return *sigma * unit;
}

}  // namespace rarefact
