#include "core/machine.hpp"

#include <Eigen/Core>
#include <cstdlib>  // defines __GLIBC__
#include <thread>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace rarefact {

void pin_blocking() {
  // 32 KiB, 512 KiB and 4 MiB per core, which current x86-64 servers have at least.
  static const bool pinned = (Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024), true);
  (void)pinned;
}

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest value allowed
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 16 << 20);
  // With a single arena, points that run in parallel would wait for one another: two took as long as one
  // after the other.
  mallopt(M_ARENA_MAX, 1 + static_cast<int>(std::thread::hardware_concurrency()));
#endif
}

}  // namespace rarefact
