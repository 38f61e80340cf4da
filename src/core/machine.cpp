#include "core/machine.hpp"

#include <Eigen/Core>
#include <cstdlib>  // defines __GLIBC__

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace rarefact {

void pin_blocking() {
  // 32 KiB, 512 KiB and 4 MiB a core: what current x86-64 servers have at least.
  static const bool pinned = (Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024), true);
  (void)pinned;
}

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most it takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_ARENA_MAX, 1);  // one place to keep it; threads have caches of their own for what is small
#endif
}

}  // namespace rarefact
