#pragma once

/// What a run holds: the memory and the disk of a plan. The factors are measured, and tests/repository/test_memory.py
/// compares what comes out with the peaks of runs.

#include "sim/engines.hpp"

namespace rarefact {

/// Bytes of a training, what is measured of it included: the most at a time, without what is recorded.
double training_bytes(const EngineCase& asked, const Reduction& reduction, double rows);

/// What is held beside the trainings, in bytes.
struct RecordedBytes {
  double rows = 0;         ///< the spectrum, and what a result says of its rows
  double measured = 0;     ///< series of one run while it is trained
  double predictions = 0;  ///< work space of one optimizer's predictions
  double result = 0;       ///< all series of the result
};

RecordedBytes recorded_bytes(const Experiment& experiment, const Spectrum& spectrum, bool any_exact);

/// Of a result or of a point on disk, at most: a result is compressed.
double disk_bytes(const RecordedBytes& recorded);

/// The most that is held at a time, with one of `trainings` an optimizer and as many `runs` in all as there are
/// step sizes to try. With more threads more runs go side by side.
double peak_bytes(std::vector<double> trainings, double runs, const RecordedBytes& recorded, int threads);

}  // namespace rarefact
