#pragma once

namespace rarefact {

/// Asks the C library to keep freed memory for the next array instead of giving it back to the system: a step
/// of the dense engine takes and frees dozens of arrays of megabytes, and every page given back is cleared by
/// the system when it returns (a fifth of a Muon step at K = 1024). For programs, at their start; without
/// effect outside the GNU C library.
void keep_freed_memory();

}  // namespace rarefact
