#pragma once

/// Random rounding: a run is repeated with random rounding errors, and the digits in which the repetitions
/// agree are those that rounding leaves (CESTAC: Vignes, "A stochastic arithmetic for reliable scientific
/// computation", Math. Comput. Simulation 35, 1993; Parker, "Monte Carlo arithmetic", UCLA CSD-970002, 1997).

#include <bit>

#include "algebra/gram_factor.hpp"
#include "algebra/operations.hpp"
#include "algebra/runs.hpp"
#include "algebra/symmetric_parts.hpp"
#include "core/random.hpp"
#include "model/gradient.hpp"

namespace rarefact {

/// The roundings of one step of a repetition: numbers move by one unit in the last place, up or down by the bits of
/// a Philox stream of the repetition. Gradients, directions and W move relative to their entries,
///
///     x <- x (1 ± 2^-53),
///
/// logits by 2^-53 max(1, |S|), which is also the rounding error of e^S and so of p̂. With 50 digits the unit
/// is 10^-50. Intermediate values of a rule move as well: results relative to themselves, or to the terms of
/// which they are sums; matrices that are decomposed, by a unit of the norm of each column, because
/// decompositions are backward stable column by column. In a tame repetition frequencies are nearly equal and logits at
/// most 1, so that no direction of the gradient is lost beside a larger one.
/// Pure: the numbers do not depend on threads or on the order of calls.
class RandomRounding {
 public:
  /// `repetition` >= 1.
  RandomRounding(int repetition, std::int64_t step, bool tame = false, const char* stream = "random rounding")
      : repetition_(repetition),
        stream_(static_cast<std::uint64_t>(repetition), stream),
        step_(static_cast<std::uint64_t>(step)),
        tame_(tame) {}
  /// Independent roundings of the same step, for the second factor of W.
  RandomRounding other() const {
    return {repetition_, static_cast<std::int64_t>(step_), tame_, "random rounding of V"};
  }

  bool tame() const { return tame_; }
  /// The weight of a query of this probability in the gradient.
  double weight(double probability) const {
    constexpr double tamed = 1.0 / 64;  // 1e-300 becomes 2e-5
    return tame_ ? std::pow(probability, tamed) : probability;
  }

  /// Moves of logits are relative to the larger of this size and |S|.
  static constexpr double logit_size = 1;

  /// Moves the logits of a column, or margins from class `first` on; in single precision by units of 2^-24. A tame
  /// repetition makes a larger column remain larger: columns of two classes differ in size alone, and if all had one size,
  /// gradients would keep one direction.
  template <class Numbers>
  void logits(Index first, Numbers&& s, bool single = false) const {
    if (tame_ && s.size() > 0) s /= 1 + s.cwiseAbs().maxCoeff();
    move(logit_kind, static_cast<std::uint64_t>(first) << 32, s, logit_size, single ? wider : 1);
  }
  /// Moves a column of G.
  template <class Numbers>
  void residuals(Index column, Numbers&& g, bool single) const {
    move(task_kind, static_cast<std::uint64_t>(column) << 32, g, 0, single ? wider : 1);
  }
  /// The same for all of S. In a tame repetition one number divides it, so that larger columns remain larger.
  template <MatrixAlgebra M>
  void logits(M& s) const {
    if (tame_) combine(s, 1 / std::max(ScalarOf<M>(1), largest_entry(s)), 0, s);
    entries(s, logit_kind, logit_size);
  }

  template <class M>
  void gradient(Gradient<M>& g) const {
    entries(g.task, task_kind, 0);
    if (g.image) entries(*g.image, gradient_kind, 0);
  }
  /// Moves differences of numbers of these sizes (one per column) by their rounding. Exact zeros stay.
  template <class M>
  void differences(M& x, const Vector& sizes) const {
    Bits bits(*this, difference_kind, 0);
    for_runs(x, [&](Index c, Index, Index size, const double*, double* at) {
      Eigen::Map<Vector> run(at, size);
      move_by(bits, run, [&](Index i, Index) { return run(i) == 0 ? 0 : sizes(c); });
    });
  }
  void direction(MatrixAlgebra auto& d) const { entries(d, direction_kind, 0); }
  void weight(MatrixAlgebra auto& w) const { entries(w, weight_kind, 0); }

  /// Moves n results of an operation of a rule, from `first` on, each relative to itself or to one of
  /// `sizes`.
  template <class Real>
  void results(std::uint64_t operation, std::uint64_t first, Real* x, Index n,
               const Real* sizes = nullptr) const {
    using std::abs;
    Eigen::Map<VectorOf<Real>> numbers(x, n);
    // Two words have the bits of a tile.
    Bits bits(*this, result_kind + operation, 2 * first);
    move_by(bits, numbers, [&](Index i, Index) { return Real(abs(sizes ? sizes[i] : numbers(i))); });
  }

  /// Moves the parts that an operation decomposes, in order.
  template <class Real>
  PartFunction<Real> parts_moved(std::uint64_t operation) const {
    return [bits = Bits(*this, result_kind + operation, 0)](MatrixOf<Real>& part,
                                                            const VectorOf<Real>& norms) mutable {
      move_by(bits, part, [&](Index, Index j) { return norms(j); });
    };
  }

  /// The same of a Gram factor, which keeps the digits of small rows beside large columns.
  template <class Real>
  EntryChange<Real> entries_moved(std::uint64_t operation) const {
    return [bits = Bits(*this, result_kind + operation, 0)](MatrixOf<Real>& part,
                                                            const EntryNorms<Real>& norms) mutable {
      move_by(bits, part, [&](Index i, Index j) { return std::min(norms.rows(i), norms.columns(j)); });
    };
  }

 private:
  static constexpr double wider = 0x1p29;  // a unit of single precision in those of a double
  // Two kinds per matrix of two planes; shared numbers of columns count from shared_kind on.
  static constexpr std::uint64_t logit_kind = 0, task_kind = 2, gradient_kind = 4, direction_kind = 6,
                                 weight_kind = 8, shared_kind = 10, difference_kind = 20,
                                 result_kind = std::uint64_t{1} << 32;

  // Inlined with a constant `least`, its loops would branch instead of being vectorised.
  template <class M>
  [[gnu::noinline]] void entries(M& x, std::uint64_t kind, double least) const {
    const std::uint64_t kinds[] = {kind, kind + 1, shared_kind + kind / 2};
    std::size_t plane = 0;
    M::for_planes([&](auto& numbers) { move(kinds[plane++], 0, numbers, least); }, x);
  }
  /// The bits of a kind at this step, one after the other.
  class Bits {
   public:
    Bits(const RandomRounding& of, std::uint64_t kind, std::uint64_t number)
        : of_(of), kind_(kind), number_(number) {}
    /// The next `count` <= 64 bits in the lowest bits of the result; those above are unspecified.
    std::uint64_t next(unsigned count) {
      std::uint64_t taken = 0;
      for (unsigned have = 0; have < count;) {
        if (at_ == 256) words_ = of_.stream_.bits(of_.step_, number_++, kind_), at_ = 0;
        const unsigned here = std::min(count - have, 64 - at_ % 64);
        taken |= words_[at_ / 64] >> (at_ % 64) << have;
        have += here;
        at_ += here;
      }
      return taken;
    }

   private:
    const RandomRounding& of_;
    std::uint64_t kind_, number_;
    std::array<std::uint64_t, 4> words_ = {};
    unsigned at_ = 256;
  };

  /// ±size by the last bit; for doubles without a branch, which would be mispredicted half of the time.
  template <class Real>
  static Real signed_by(std::uint64_t bits, const Real& size) {
    if constexpr (std::is_same_v<Real, double>) {
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) ^ (~bits << 63));
    } else {
      return bits & 1 ? size : Real(-size);
    }
  }

  template <class Numbers>
  void move(std::uint64_t kind, std::uint64_t number, Numbers&& x, double least, double units = 1) const {
    using Real = typename std::decay_t<Numbers>::Scalar;
    using std::abs, std::max;
    const Real floor(least);
    Bits bits(*this, kind, number);
    move_by(
        bits, x, [&](Index i, Index j) { return max(Real(abs(x(i, j))), floor); }, units);
  }

  /// x(i, j) <- x(i, j) ± a unit in the last place of size(i, j).
  template <class Numbers, class Size>
  static void move_by(Bits& bits, Numbers& x, Size size, double units = 1) {
    using Real = typename Numbers::Scalar;
    // Slightly more than half a unit of 1, because a tie would be rounded back.
    const Real unit = std::numeric_limits<Real>::epsilon() * Real((0.5 + 0x1p-10) * units);
    constexpr Index at_once = 64;
    for (Index j = 0; j < x.cols(); ++j) {
      for (Index first = 0; first < x.rows(); first += at_once) {
        const Index count = std::min(at_once, x.rows() - first);
        const std::uint64_t word = bits.next(static_cast<unsigned>(count));
        for (Index k = 0; k < count; ++k)
          x(first + k, j) += signed_by(word >> k, Real(size(first + k, j) * unit));
      }
    }
  }

  int repetition_;
  RandomStream stream_;
  std::uint64_t step_;
  bool tame_;
};

}  // namespace rarefact
