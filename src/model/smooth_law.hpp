#pragma once

#include <functional>

namespace rarefact {

/// A spectrum whose K classes are all distinct and whose frequency is a smooth function of ln k:
/// p_k = weight(k) / Σ_j weight(j), k = 1..K, weight(1) = 1, descending. The function is meant for every real
/// rank in [1, K], which is what lets a few nodes stand for all classes.
struct SmoothLaw {
  double classes = 0;                    ///< K in [2, 1e300]
  std::function<double(double)> weight;  ///< of a real rank

  /// All classes are equally likely after all (exponent 0).
  bool uniform() const { return weight(classes) == 1; }
};

}  // namespace rarefact
