#pragma once

namespace rarefact {

/// Fixes the cache sizes that Eigen's products are blocked for. Left alone Eigen asks the processor, and with
/// the blocking the order of sums, so the last bits of a result, would depend on the machine. Called before
/// any product.
void pin_blocking();

}  // namespace rarefact
