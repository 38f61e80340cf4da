#pragma once

/// Settings at program start, for what libraries would otherwise take from the machine.

namespace rarefact {

/// Fixes the cache sizes by which Eigen blocks its products. It would ask the processor, and the order of sums, so
/// the last bits of a result, would depend on the machine. Call before any product.
void pin_blocking();

/// Makes the C library keep freed memory instead of returning it to the system, which clears every page before it
/// hands it out again: a fifth of a Muon step at K = 1024. Most of it comes in large pages, which saves as much again
/// in sweeps of small points. Call at the start of a program; no effect outside the GNU C library.
void keep_freed_memory();

}  // namespace rarefact
