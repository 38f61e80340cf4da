#pragma once

/// The numbers that a run computes in (run.precision).

#include "core/real50.hpp"
#include "experiment/experiment.hpp"

namespace rarefact {

struct Precision {
  std::int64_t digits;        ///< significant ones, as run.precision names them
  double bytes;               ///< of a number
  double slowness;            ///< how many times as long as with doubles a step takes
  double most_spectral_rows;  ///< run.spectral_metrics = "auto" leaves larger singular value problems out
  bool underflows;            ///< exponents end near 1e-308
  std::string reason;         ///< why the engine is taken, where this decides it; else empty
};

/// All of them, those of doubles first.
const std::vector<Precision>& precisions();
const Precision& precision_of(const Experiment& experiment);

/// f.operator()<Real>(), Real the type of the numbers.
template <class F>
auto in_precision(const Experiment& experiment, const F& f) {
  if (precision_of(experiment).underflows) return f.template operator()<double>();
  return f.template operator()<Real50>();
}

}  // namespace rarefact
