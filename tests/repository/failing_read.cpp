// Reads, loaded before all others (LD_PRELOAD), that fail as those of a broken disk do: of files whose name ends in .h5 or .points, all
// from the one of number RAREFACT_FAILING_READ on, counted from 1.

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

static bool fails(int file) {
  static const int first = atoi(getenv("RAREFACT_FAILING_READ"));
  static std::atomic<int> made = 0;
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, name, sizeof name);
  const auto ends_with = [&](const char* end) {
    const ssize_t size = strlen(end);
    return length >= size && memcmp(name + length - size, end, size) == 0;
  };
  if (!(ends_with(".h5") || ends_with(".points")) || ++made < first) return false;
  errno = EIO;
  return true;
}

template <class Call>
static Call real(const char* name) {
  return reinterpret_cast<Call>(dlsym(RTLD_NEXT, name));
}

extern "C" {

ssize_t read(int file, void* to, size_t count) {
  return fails(file) ? -1 : real<ssize_t (*)(int, void*, size_t)>("read")(file, to, count);
}

ssize_t pread(int file, void* to, size_t count, off_t at) {
  return fails(file) ? -1 : real<ssize_t (*)(int, void*, size_t, off_t)>("pread")(file, to, count, at);
}

ssize_t pread64(int file, void* to, size_t count, off_t at) {
  return pread(file, to, count, at);
}
}
