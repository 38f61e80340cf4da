#include "core/machine.hpp"

#include <Eigen/Core>
#include <cstdlib>  // defines __GLIBC__
#include <thread>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#endif

namespace rarefact {

#if defined(__GLIBC__)
namespace {

/// Extends the heap of the main thread once, and asks for large pages (2 MiB) there: a virtual machine may take
/// microseconds for every page of 4 KiB that is touched for the first time. Only address space is taken.
void reserve_large_pages() {
  constexpr int reserved = 512 << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;
  auto* const begin = static_cast<std::byte*>(sbrk(0));
  mallopt(M_TOP_PAD, reserved);
  void* volatile extends = std::malloc(std::size_t{1} << 20);
  std::free(extends);
  const auto bytes = static_cast<std::byte*>(sbrk(0)) - begin;
  if (bytes > 0) madvise(begin, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
}

}  // namespace
#endif

void pin_blocking() {
  // 32 KiB, 512 KiB and 4 MiB per core, which current x86-64 servers have at least.
  static const bool pinned = (Eigen::setCpuCacheSizes(32 * 1024, 512 * 1024, 4 * 1024 * 1024), true);
  (void)pinned;
}

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest value allowed
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  reserve_large_pages();
  mallopt(M_TOP_PAD, 16 << 20);
  // With a single arena, points that run in parallel would wait for one another, and take as long as one by one.
  mallopt(M_ARENA_MAX, 1 + static_cast<int>(std::thread::hardware_concurrency()));
#endif
}

}  // namespace rarefact
