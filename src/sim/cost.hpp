#pragma once

/// What a run takes: the memory, the disk and the time of a plan. The factors of memory are measured, and
/// tests/repository/test_memory.py compares what comes out with the peaks of runs.

#include "sim/engines.hpp"

namespace rarefact {

/// Repetitions of a run with random rounding that its digits are taken from.
inline constexpr int rounding_repetitions = 3;

/// What a training takes, without what is recorded.
struct EngineCost {
  double bytes = 0;       ///< the most at a time, what is measured of it included
  double seconds = 0;     ///< on two cores: a guess, the same on every machine
  double repetition = 0;  ///< of its steps alone, as they are repeated for digits
  double compared = 0;    ///< without what is alike on all ways: what an engine is chosen by
  bool digits = false;    ///< measured (run.digits): asked for, or where the repetitions take less than 0.1 s
};

/// `nodes` are those of a quadrature.
EngineCost training_cost(const EngineCase& asked, const Reduction& reduction, double nodes);

/// d_out x d_in. Precondition: resolve() has looked at files of embeddings.
WeightShape weight_shape(const Experiment& experiment, const Spectrum& spectrum);

/// What is held beside the trainings, in bytes.
struct RecordedBytes {
  double rows = 0;         ///< the spectrum, and what a result says of its rows
  double measured = 0;     ///< series of one run
  double nodes = 0;        ///< beside them while a quadrature is trained: the ranks of two trainings
  double predictions = 0;  ///< work space of one optimizer's predictions
  double result = 0;       ///< all series of the result
};

RecordedBytes recorded_bytes(const Experiment& experiment, const Spectrum& spectrum, bool any_exact);

/// "1.57 kB", B to PB.
std::string bytes_text(double bytes);

/// Of a result or of a point on disk, at most: a result is compressed.
double disk_bytes(const RecordedBytes& recorded);

/// The most that is held at a time, with one of `trainings` an optimizer, as many `runs` in all as there are step sizes
/// to try, and afterwards so many `repetitions` of each that is kept. With more threads more runs go side by side.
double peak_bytes(std::vector<double> trainings, double runs, int repetitions, const RecordedBytes& recorded,
                  int threads);

}  // namespace rarefact
