#pragma once

/// From an experiment to what runs it: once a point, for plans, refusals and runs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/array_file.hpp"
#include "rarefact/error.hpp"
#include "sim/cost.hpp"
#include "sim/step_search.hpp"

namespace rarefact {

/// Where doubling the nodes of a quadrature starts: the first certificate compares these with half as many.
inline constexpr std::int64_t first_nodes = 32;

/// The engine of one optimizer; of a search, of all its runs.
struct EngineChoice {
  std::string optimizer;
  Reduction reduction;
  std::string reason;      ///< one sentence
  std::string objections;  ///< to cheaper engines; empty where there are none
  EngineCost cost;         ///< of one run; seconds of all runs, and of all trainings of a quadrature
  /// What takes over if a quadrature that was chosen for the user does not reach its tolerance; absent where
  /// nothing can, or where quadrature was asked for.
  std::optional<Reduction> fallback;
};

/// What an experiment is run on and what that takes.
struct Setup {
  Spectrum spectrum;
  std::vector<EngineChoice> engines;  ///< one an optimizer, in order
  std::vector<Attempt> attempts;      ///< every run, its step size a number
  std::vector<std::int64_t> steps;    ///< recorded
  double runs = 0;                    ///< of all optimizers, those of searches one by one
  double seconds = 0;  ///< on two cores: a guess within a factor of a few, the same on every machine
  RecordedBytes recorded;

  /// The most it holds at a time. With more threads more runs go side by side.
  double memory_bytes(int threads) const;
};

/// The queries and their answers. InputError.
Spectrum learned(const Experiment& experiment, const FileReaders& readers);
/// What follows from the files of embeddings, none of which is held. InputError where one cannot be used.
void look_at_embeddings(const Experiment& experiment, Spectrum& spectrum, const FileReaders& readers);

/// The spectrum, and the engine of every optimizer, chosen or checked. "auto" takes the first exact engine that
/// needs at most 16 GB, else the first exact one; except that quadrature takes its place where it holds the run,
/// and the exact engine would need more than 16 GB, or more than a second and longer than quadrature. The choice
/// is the same on every machine. InputError (all problems) where an experiment cannot run on any machine. Allocates nothing
/// large but the spectrum.
Setup resolve(const Experiment& experiment, const FileReaders& readers);

/// What of it needs more than this much memory; empty if it fits.
std::vector<Problem> memory_problems(const Experiment& experiment, const Setup& setup, double limit_bytes,
                                     int threads);

}  // namespace rarefact
