#pragma once

/// Arbitrary d_out x d_in matrices: the general algebra, and the reference for the others at small K.

#include <functional>

#include "algebra/planes.hpp"
#include "algebra/polar.hpp"

namespace rarefact {

class DensePolar;

struct DenseMatrix {
  using Scalar = double;
  using Polar = DensePolar;

  Matrix entries;
  DenseMatrix like() const { return {}; }
  template <class Body, class... M>
  static void for_planes(const Body& body, M&... x) {
    body(x.entries...);
  }
  void exchange(Archive& archive) { archive(entries); }
};

/// msgn by WarmStartPolar in the task basis. Mixed columns: by newton_polar; matrices of lower rank, which it
/// refuses, go to WarmStartPolar, too.
class DensePolar {
 public:
  /// `before`(X, norms of its columns), if set, changes X after its part along the left null vector has been removed.
  DenseMatrix operator()(const DenseMatrix& x, const Workers& workers, const PolarHint& hint = {},
                         const std::function<void(Matrix&, const Vector&)>& before = {});
  const PolarSeen& seen() const { return seen_; }
  void exchange(Archive& archive) { archive(tracker_); }

 private:
  WarmStartPolar<double> tracker_;
  PolarSeen seen_;
};

}  // namespace rarefact
