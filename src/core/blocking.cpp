#include "core/blocking.hpp"

#include <Eigen/Core>

namespace rarefact {

void pin_blocking() {
  // 32 KiB, 512 KiB and 4 MiB a core: what current x86-64 servers have at least.
  static const bool pinned = (Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024), true);
  (void)pinned;
}

}  // namespace rarefact
