#pragma once

/// What a program decides, at its start, that libraries would leave to the machine.

namespace rarefact {

/// Fixes the cache sizes that Eigen's products are blocked for. Left alone Eigen asks the processor, and with
/// the blocking the order of sums, so the last bits of a result, would depend on the machine. Called before
/// any product.
void pin_blocking();

/// Asks the C library to keep freed memory for the next array instead of giving it back to the system: a step
/// of the dense engine takes and frees dozens of arrays of megabytes, and every page given back is cleared by
/// the system when it returns (a fifth of a Muon step at K = 1024). For programs, at their start; without
/// effect outside the GNU C library.
void keep_freed_memory();

}  // namespace rarefact
