#pragma once

/// The number of digits that rounding leaves in measured quantities.

#include <cstdint>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// With fewer digits a run has the status digits_lost.
inline constexpr double min_digits = 3;

/// Whether one repetition tells enough: at least 10 digits are left of everything at all recorded steps, after two
/// are taken off for chance and with no more than 13 in all. Two runs may agree by accident where both are wrong; of
/// 11,000 such pairs among random runs none claimed a digit too much.
bool one_is_enough(const Trajectory& repetition, const std::vector<std::int64_t>& steps,
                   const Trajectory& run);

/// Fills in <metric>_digits, and their minimum, at every recorded step that the run reached:
///
///     d_t = min over s <= t of -log10(spread_s) - 1,    0 <= d_t <= 15,
///
/// spread_s the largest relative difference |x - y|/max(|x|, |y|) between any two of the run and its
/// repetitions, of the metric at the recorded step s, over its rows; with one repetition -log10(spread_s) - 2 and at
/// most 13. Numbers below 1e-300 are omitted; a number that only some of them have has no digits. A complete run
/// with fewer than 3 digits anywhere becomes `digits_lost`, status_step the first such step. `repetitions` have the
/// same steps and rows.
void fill_digits(const std::vector<Trajectory>& repetitions, const std::vector<std::int64_t>& steps,
                 Trajectory& run);

}  // namespace rarefact
