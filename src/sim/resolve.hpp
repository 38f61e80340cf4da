#pragma once

/// Resolves an experiment, once per point, for plans, refusals and runs.

#include <cstddef>

#include "experiment/step_sizes.hpp"
#include "io/array_file.hpp"
#include "rarefact/error.hpp"
#include "rarefact/result.hpp"
#include "sim/cost.hpp"

namespace rarefact {

/// The search for step sizes: all of a range are tried, and the best is kept.
/// The number of runs of an optimizer; 1 if its step size is given.
double run_count(const OptimizerChoice& choice);

/// A run of an optimizer; one of several in a search.
struct Attempt {
  std::size_t optimizer = 0;  ///< place in the experiment
  double step_size = 0;
  int edge = 0;  ///< -1 or 1 for the smallest or largest step size of a search, else 0
};

/// All runs, by optimizer and step size. Throws InputError if an expression is not a legal step size.
std::vector<Attempt> attempts_of(const Experiment& experiment, const Spectrum& spectrum);

/// The score of a run by the optimizer's criterion, lower is better. Infinite without a value, as for runs that
/// diverged or failed.
double score_of(const Trajectory& trajectory, const OptimizerChoice& choice);

/// The number of nodes at which doubling starts: the first estimate of the error compares these with half as many.
inline constexpr std::int64_t first_nodes = 32;
/// Doubling ends here: polar factors of more rows cost as much as a dense run of a few thousand classes.
inline constexpr std::int64_t max_doubled_nodes = 512;

/// The engine of one optimizer, for all runs of a search.
struct EngineChoice {
  std::string optimizer;
  Reduction reduction;
  std::string reason;      ///< one sentence
  std::string objections;  ///< why cheaper engines were not chosen; may be empty
  EngineCost cost;         ///< of one run; seconds of all runs, and of all trainings of a quadrature
  /// The exact engine that replaces an automatically chosen quadrature that misses its tolerance; nullopt if
  /// there is none, or if quadrature was requested.
  std::optional<Reduction> fallback;
};

/// The engines of an experiment and their cost.
struct Setup {
  Spectrum spectrum;
  std::vector<EngineChoice> engines;  ///< one per optimizer, in order
  std::vector<Attempt> attempts;      ///< every run, its step size a number
  std::vector<std::int64_t> steps;    ///< recorded
  double runs = 0;                    ///< number of runs of all optimizers, including those of searches
  double seconds = 0;                 ///< of one processor, estimated; the same on every machine
  double longest = 0;                 ///< seconds of the longest single-threaded run
  RecordedBytes recorded;

  /// Number of states in checkpoints at the end, with the usual trainings (cost.hpp) and repetitions.
  double states() const;

  /// Peak memory (memory_limit.cpp); more threads run more trainings in parallel.
  double memory_bytes(int threads) const;
};

/// The steps to record in ascending order, without repetition. `log`: 0, then about `log` steps per factor of
/// ten.
std::vector<std::int64_t> recorded_steps(const RecordRule& rule, std::int64_t last_step);

/// Loads the queries and their answers. Throws InputError.
Spectrum load_problem(const Experiment& experiment, const FileReaders& readers);
/// The class rows and answers of a run that shows all classes in groups or nodes (run.classes = "groups"). Throws
/// InputError.
Run problem_rows(Experiment experiment, const FileReaders& readers);
/// Adds the properties of files of embeddings, which are not kept in memory. Throws InputError if one, or that of the
/// start, cannot be used.
void look_at_arrays(const Experiment& experiment, Spectrum& spectrum, const FileReaders& readers);

/// Loads the spectrum, and chooses or checks the engine of every optimizer. "auto" takes the first exact
/// engine that needs at most 16 GB, else the first exact one. Quadrature is taken instead if it supports the
/// run and the exact engine would need more than 16 GB, or more than five seconds and longer than quadrature. The
/// choice is the same on every machine. Throws InputError (all problems) if an experiment cannot run on any
/// machine. Allocates nothing large but the spectrum.
Setup resolve(const Experiment& experiment, const FileReaders& readers);

/// Problems about parts that need more memory than the limit; empty if everything fits.
std::vector<Problem> memory_problems(const Experiment& experiment, const Setup& setup, double limit_bytes,
                                     int threads);

}  // namespace rarefact
