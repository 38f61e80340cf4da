#pragma once

/// Settings at program start, for what libraries would otherwise take from the machine.

namespace rarefact {

/// Fixes the cache sizes for which Eigen blocks its products. By default Eigen asks the processor, so the
/// blocking, the order of sums and the last bits of a result would depend on the machine. Call before any
/// product.
void pin_blocking();

/// Makes the C library keep freed memory for the next array instead of returning it to the system. A step of
/// the dense engine allocates and frees dozens of arrays of megabytes, and the system clears every returned
/// page before it hands it out again (a fifth of a Muon step at K = 1024). Most of it comes in large pages, which
/// saves as much again in sweeps of small points. Call at the start of a program; no effect outside the GNU C
/// library.
void keep_freed_memory();

}  // namespace rarefact
