// An allocator, loaded before all others (LD_PRELOAD), whose blocks begin RAREFACT_SHIFT bytes (0 or 16) after a multiple of 64.
// Blocks that ask for more alignment than that of malloc begin at an odd multiple of it, or with a shift of 0 at an even one.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cstdint>

extern "C" {

void* __libc_malloc(size_t);
void __libc_free(void*);

/// Stands before every block.
struct Header {
  void* begin;  // of what glibc gave
  size_t size;
};

static Header* header_of(void* block) {
  return static_cast<Header*>(block) - 1;
}

static void* allocated(size_t alignment, size_t size) {
  static const bool shifted = getenv("RAREFACT_SHIFT") != nullptr && getenv("RAREFACT_SHIFT")[0] == '1';
  const size_t unit = alignment > 32 ? 2 * alignment : 64,
               shift = shifted ? (alignment > 16 ? alignment : 16) : 0;
  const size_t more = sizeof(Header) + unit + shift;
  void* begin = size > SIZE_MAX - more ? nullptr : __libc_malloc(size + more);
  if (begin == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  const auto first = reinterpret_cast<uintptr_t>(begin) + sizeof(Header);
  void* block = reinterpret_cast<void*>((first + unit - 1) / unit * unit + shift);
  *header_of(block) = {begin, size};
  return block;
}

void* malloc(size_t size) noexcept {
  return allocated(16, size);
}

void free(void* block) noexcept {
  if (block != nullptr) __libc_free(header_of(block)->begin);
}

void* calloc(size_t count, size_t size) noexcept {
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* block = allocated(16, count * size);
  return block == nullptr ? nullptr : memset(block, 0, count * size);
}

void* realloc(void* block, size_t size) noexcept {
  void* next = allocated(16, size);
  if (block == nullptr || next == nullptr) return next;
  const size_t old = header_of(block)->size;
  memcpy(next, block, old < size ? old : size);
  free(block);
  return next;
}

void* reallocarray(void* block, size_t count, size_t size) noexcept {
  return size != 0 && count > SIZE_MAX / size ? nullptr : realloc(block, count * size);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return allocated(alignment, size);
}

void* memalign(size_t alignment, size_t size) noexcept {
  return allocated(alignment, size);
}

int posix_memalign(void** block, size_t alignment, size_t size) noexcept {
  *block = allocated(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

size_t malloc_usable_size(void* block) noexcept {
  return block == nullptr ? 0 : header_of(block)->size;
}
}
