#pragma once

/// Results as aligned plain text.

#include <string>
#include <vector>

#include "rarefact/sim/result.hpp"

namespace rarefact {

/// Columns as wide as their widest entry, two spaces between them, the first row the header, ending in a line
/// break. The first column is flush left, the others right. Lengths are counted in UTF-8 characters.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows);

/// What closes a run, one table for each run of the result, a row for each optimizer: engine; the total loss
/// at the last recorded step; error and loss of the head (the first class group, the most frequent) and the
/// tail (the last one); and the first recorded step at which every class has error below 0.1, or "not reached
/// (> last step)". A diverged optimizer shows its last finite record. Losses in nats. A line below says so
/// where not every step was recorded.
std::string end_table(const Result& result);

/// The last record of a variable's series that has no NaN in it, as an index into the steps; -1 if there is
/// none.
std::ptrdiff_t last_record(const std::vector<double>& series, std::size_t row);

}  // namespace rarefact
