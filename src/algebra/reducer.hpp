#pragma once

/// One number from weighted terms, one after the other.

#include <limits>

#include "algebra/operations.hpp"

namespace rarefact {

/// A sum of terms whose absolute values sum to `size`: zero where it is nothing but their rounding.
template <class Real>
Real sum_of_terms(const Real& sum, const Real& size) {
  using std::abs;
  return abs(sum) < Real(16) * std::numeric_limits<Real>::epsilon() * size ? Real(0) : sum;
}

/// The larger one; not-a-number where either is.
inline constexpr auto larger = [](double a, double b) { return a < b || b != b ? b : a; };

/// How often an entry counts: a number of classes, and its root.
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
  explicit Reducer(Measured how) : how_(how) {}

  /// A term that counts m n times. Roots first: m n of 1e300 each would overflow.
  void add(const Real& term, const Times<Real>& m, const Times<Real>& n = Times<Real>()) {
    using std::abs;
    if (!(m.number > Real(0)) || !(n.number > Real(0))) return;
    switch (how_) {
      case Measured::sum: {
        const Real weighted = term * m.number * n.number;
        sum_ += weighted;
        size_ += abs(weighted);
        return;
      }
      case Measured::euclidean:
        return add_square(abs(Real(term * m.root * n.root)));
      case Measured::largest:
        // Negated so that NaN comes in, and stays.
        if (size_ == size_ && !(abs(term) <= size_)) size_ = abs(term);
        return;
    }
  }

  Real value() const {
    using std::sqrt;
    switch (how_) {
      case Measured::sum:
        return sum_of_terms(sum_, size_);
      case Measured::euclidean:
        return size_ * sqrt(sum_);
      case Measured::largest:
        return size_;
    }
    return Real(0);
  }

 private:
  /// size_ is the largest root so far, sum_ that of the squares in its unit.
  void add_square(const Real& root) {
    if (root == Real(0)) return;
    const bool outgrown = root > size_;
    const Real ratio = outgrown ? Real(size_ / root) : Real(root / size_);
    sum_ = outgrown ? Real(Real(1) + sum_ * ratio * ratio) : Real(sum_ + ratio * ratio);
    if (outgrown) size_ = root;
  }

  Measured how_;
  Real sum_{0}, size_{0};
};

}  // namespace rarefact
