#pragma once

/// Arbitrary d_out x d_in matrices: the general algebra, and for small K the reference for the others.

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

/// Uses WarmStartPolar in the task basis, and newton_polar for mixed columns, after a reflection that removes
/// the known null vector. Matrices of lower rank, which newton_polar refuses, go to the tracker, too.
class DensePolar {
 public:
  DenseMatrix operator()(const DenseMatrix& x, const Workers& workers, const PolarHint& hint = {});
  void exchange(Archive& archive) { archive(tracker_); }

 private:
  WarmStartPolar<double> tracker_;
};

}  // namespace rarefact
