#pragma once

/// The number types for runs (run.precision).

#include <algorithm>

#include "core/real50.hpp"
#include "experiment/experiment.hpp"

namespace rarefact {

struct Precision {
  std::int64_t digits;       ///< significant ones, as run.precision names them
  double bytes;              ///< of a number
  double slowness;           ///< time of a step, relative to doubles
  double product_slowness;   ///< the same for products and rotations, which are vectorised for doubles
  double max_spectral_rows;  ///< run.spectral_metrics = "auto" skips larger singular value problems
  bool underflows;           ///< exponents end near 1e-308
  const char* reason;        ///< why it determines the engine; empty if it does not
};

/// All precisions, double first.
inline constexpr Precision precisions[] = {{16, sizeof(double), 1, 1, 128, true, ""},
                                           {50, sizeof(Real50), 150, 3900, 32, false,
                                            "in 50 significant digits, which no other engine computes in"}};

inline const Precision& precision_of(const Experiment& experiment) {
  return *std::ranges::find(precisions, experiment.precision, &Precision::digits);
}

/// Calls f.operator()<Real>() with the number type.
template <class F>
auto in_precision(const Experiment& experiment, const F& f) {
  if (precision_of(experiment).underflows) return f.template operator()<double>();
  return f.template operator()<Real50>();
}

}  // namespace rarefact
