#pragma once

/// Reductions of weighted terms to one number, run by run.

#include "algebra/operations.hpp"

namespace rarefact {

/// The sum of terms whose absolute values sum to `size`, set to zero if it is only their rounding noise.
template <class Real>
Real sum_of_terms(const Real& sum, const Real& size) {
  using std::abs;
  return abs(sum) < Real(16) * std::numeric_limits<Real>::epsilon() * size ? Real(0) : sum;
}

/// The multiplicity of an entry, and its square root.
template <class Real>
struct Times {
  Real number{1}, root{1};

  Times() = default;
  explicit Times(const Real& n) : number(n) {
    using std::sqrt;
    root = sqrt(n);
  }
};

template <class Real>
class Reducer {
 public:
  explicit Reducer(Aggregate how) : how_(how) {}

  /// Adds numbers of multiplicity times[i] x all (null times: 1). The norm is taken before the root of `all`:
  /// products of 1e300 classes and as many answers would overflow.
  void add(Index size, const Real* times, const Real* at, const Times<Real>& all = {}) {
    using std::isfinite, std::sqrt;
    if (size == 0) return;
    const Numbers x(at, size), n(times, times ? size : 0);
    if (how_ == Aggregate::sum) return times ? add_sum(n.cwiseProduct(x), all) : add_sum(x, all);
    const Real largest = x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
    if (how_ == Aggregate::largest) {
      // Negated so that NaN is kept.
      if (size_ == size_ && !(largest <= size_)) size_ = largest;
    } else if (!(largest > Real(0)) || !isfinite(largest)) {
      add_square(largest);
    } else {
      add_square(largest * all.root *
                 (times ? Real(sqrt(n.dot((x / largest).cwiseAbs2()))) : Real((x / largest).norm())));
    }
  }

  /// Adds Σ times x all x a x b. Weights each factor before the product, which underflows for 1/m and 1/n.
  void add_products(Index size, const Real* times, const Real* a, const Real* b, const Times<Real>& all) {
    const Numbers x(a, size), y(b, size);
    if (!times) return add_sum(x.cwiseProduct(y), all);
    const VectorOf<Real> root = all.root * Numbers(times, size).cwiseSqrt();
    add_sum(x.cwiseProduct(root).cwiseProduct(y.cwiseProduct(root)), {});
  }

  Real value() const {
    using std::sqrt;
    switch (how_) {
      case Aggregate::sum:
        return sum_of_terms(sum_, size_);
      case Aggregate::euclidean:
        return size_ * sqrt(sum_);
      case Aggregate::largest:
        return size_;
    }
    return Real(0);
  }

 private:
  using Numbers = Eigen::Map<const VectorOf<Real>>;

  template <class Terms>
  void add_sum(const Terms& terms, const Times<Real>& all) {
    sum_ += all.number * terms.sum();
    size_ += all.number * terms.cwiseAbs().sum();
  }

  /// size_ is the largest root so far, sum_ the sum of squares in units of it.
  void add_square(const Real& root) {
    if (root == Real(0)) return;
    const bool outgrown = root > size_;
    const Real ratio = outgrown ? Real(size_ / root) : Real(root / size_);
    sum_ = outgrown ? Real(Real(1) + sum_ * ratio * ratio) : Real(sum_ + ratio * ratio);
    if (outgrown) size_ = root;
  }

  Aggregate how_;
  Real sum_{0}, size_{0};
};

}  // namespace rarefact
