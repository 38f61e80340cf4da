#pragma once

/// The number of digits that rounding leaves in measured quantities.

#include <cstdint>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// With fewer digits a run has the status digits_lost.
inline constexpr double min_digits = 3;

/// Fills in <metric>_digits, and their minimum, at every recorded step that the run reached:
///
///     d_t = min over s <= t of -log10(spread_s) - 1,    0 <= d_t <= 15,
///
/// spread_s the largest relative difference |x - y|/max(|x|, |y|) between any two of the run and its
/// repetitions, of the metric at the recorded step s, over its rows. Numbers below 1e-300 are omitted; a
/// number that only some of them have has no digits. A complete run with fewer than 3 digits anywhere becomes
/// `digits_lost`, status_step the first such step. `repetitions` have the same steps and rows.
void fill_digits(const std::vector<Trajectory>& repetitions, const std::vector<std::int64_t>& steps,
                 Trajectory& run);

}  // namespace rarefact
