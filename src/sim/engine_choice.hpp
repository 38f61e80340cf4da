#pragma once

/// Which engine every optimizer of an experiment runs on.

#include <optional>
#include <string>
#include <vector>

#include "sim/reduction.hpp"

namespace rarefact {

/// The engine of one optimizer, with its reason.
struct ReducedOptimizer {
  Reduction reduction;
  std::string reason;
  double memory = 0;  ///< bytes
  /// What takes over if a quadrature that was chosen for the user does not reach its tolerance; absent where
  /// nothing can, or where quadrature was asked for.
  std::optional<Reduction> fallback;
};

/// Bytes of the state of a reduced run and of its work space; what a refusal quotes.
double memory_bytes(const Experiment& experiment, const OptimizerRow& rule, const Spectrum& spectrum,
                    const Reduction& reduction);

/// Whether singular values are measured (run.spectral_metrics) where their problem has this many rows.
bool measures_spectrum(const Experiment& experiment, double rows);

/// Bytes of the recorded per-class results of all optimizers with this many rows.
double record_bytes(const Experiment& experiment, double rows);

/// A guess, within a factor of a few, of how long an optimizer takes on two cores.
double seconds_guess(const Experiment& experiment, const OptimizerRow& rule, const Spectrum& spectrum,
                     const Reduction& reduction);

/// The reduction of every optimizer, chosen or checked; the limit only refuses, so the choice is the same on
/// every machine. "auto" takes the first exact engine of engine_names that needs at most 16 GB, else the
/// first one; except that quadrature takes its place where it holds the run, and the exact engine would need
/// more than 16 GB, or more than a second and longer than quadrature; or where another optimizer of the
/// experiment runs on quadrature, so that their rows agree. Errors as choose_engines.
std::vector<ReducedOptimizer> reduce_all(const Experiment& experiment, const Spectrum& spectrum,
                                         double memory_limit_bytes);

}  // namespace rarefact
