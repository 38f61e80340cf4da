#pragma once

/// Comparisons of runs that should give the same numbers: their disagreement, and the digits that rounding leaves.

#include <cstddef>

#include "experiment/experiment.hpp"
#include "metrics/update_digits.hpp"

namespace rarefact {

/// The largest relative difference |x - y|/|x| between certified numbers of `run` and `other`
/// (MetricTraits::certified) at any recorded step, and between their total errors; for metrics certified
/// together, max |x - y| relative to the largest of their probe at the step. Infinite if only one has a number.
double disagreement(const Trajectory& run, const Trajectory& other, std::size_t records);

/// The largest relative difference between numbers of two runs at each of their records; 0 for those below 1e-300, ∞
/// for a NaN beside a number.
std::vector<double> differences(const std::vector<std::string>& variables, const Trajectory& run,
                                const Trajectory& other, std::size_t records);

/// The first step at which variables of two runs differ.
std::optional<std::int64_t> first_difference(const std::vector<std::string>& variables, const Trajectory& run,
                                             const Trajectory& other, const std::vector<std::int64_t>& steps);

/// The largest difference of a class's error or loss at a recorded step, relative to the larger of the two.
double class_difference(const Trajectory& run, const Trajectory& other);

/// True if one repetition may be enough: not with single precision, which leaves six digits, nor with 50
/// digits, where all 15 digits of a result are correct and only three repetitions can show it, nor if W is `thin`.
bool one_may_be_enough(const Experiment& experiment, bool thin);

/// True if one repetition is enough: everything has at least 10 digits at all recorded steps, after two are
/// subtracted for chance and with at most 13 in all, and no excess loss is below 1e-6 of its loss. Two wrong
/// runs may agree by accident, above all near a minimum with finite logits, where runs end in the same few
/// doubles.
bool one_is_enough(const Trajectory& repetition, const std::vector<std::int64_t>& steps,
                   const Trajectory& run);

/// Metrics whose least digits are those of a run.
extern const std::vector<std::string> claimed_metrics;

/// The least digits d_t (below) of the metrics, of their series with this suffix.
std::vector<double> fewest_digits(const std::vector<Trajectory>& repetitions, std::size_t records,
                                  const Trajectory& run, const std::string& suffix,
                                  const std::vector<std::string>& metrics = claimed_metrics);

/// Fills in <metric>_digits, and their minimum, at every recorded step that the run reached:
///
///     d_t = min over s <= t of -log10(spread_s) - 1,    0 <= d_t <= 15,
///
/// spread_s the largest relative difference |x - y|/max(|x|, |y|) between any two of the run and its
/// repetitions, of the metric at the recorded step s, over its rows; with one repetition -log10(spread_s) - 2 and at
/// most 13. Numbers below 1e-300 are omitted; a number that only some of them have has no digits. A complete run
/// with fewer than 3 digits anywhere becomes `digits_lost`, status_step the first such step. `repetitions` have the
/// same steps and rows. `chance` is subtracted, too. After the step `lost` there are no digits. The rounding of a margin m, `unit` m, changes e^-m by
/// as much: spread_s is at least `unit` |ln x|, since few repetitions of few classes may leave m unchanged.
/// loss_drop has digits of its own where it has a digit less. Measures of the update have no digits from `lost` on. `update_digits`, which sums with λW have, are lowered to the minimum
/// and to the digits of nds; they are added where nds, or a lost direction, leaves a digit less than the minimum.
void fill_digits(const std::vector<Trajectory>& repetitions, const std::vector<std::int64_t>& steps,
                 std::optional<std::int64_t> lost, double unit, double chance, Trajectory& run);

/// The first step at which a rule took fewer singular values for nonzero than `tame`, a run that loses none; or, if
/// `steady`, than before; or dropped more columns whose rounding may hide a direction. A direction whose
/// singular value is far below the rounding of the largest was then lost.
std::optional<std::int64_t> lost_direction(const std::vector<RankFrom>& run,
                                           const std::vector<RankFrom>& tame, bool steady);

/// The first step after the first one at which a gradient had fewer directions than a later one. Where queries have several
/// answers in common, the first gradient has few directions, and the singular values of those that the next ones gain fall
/// off quickly: one that appears later was below rounding.
std::optional<std::int64_t> hidden_direction(const std::vector<RankFrom>& ranks);

/// The earlier of two steps, each of which may be missing.
inline std::optional<std::int64_t> earlier(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  return !a || (b && *b < *a) ? b : a;
}

}  // namespace rarefact
