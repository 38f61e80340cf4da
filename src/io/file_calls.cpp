#include "io/file_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace rarefact {

namespace {

int rename_new(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // Network file systems have no such call, but links, which do the same in two steps.
  if (::link(from, to) != 0) return -1;
  ::unlink(from);
  return 0;
}

}  // namespace

const FileCalls& system_calls() {
  static const FileCalls calls = {
      .open = [](const char* path, int flags, unsigned mode) { return ::open(path, flags, mode); },
      .write = ::write,
      .sync = ::fsync,
      .close = ::close,
      .rename = ::rename,
      .rename_new = rename_new,
  };
  return calls;
}

FileCalls& file_calls() {
  static FileCalls calls = system_calls();
  return calls;
}

}  // namespace rarefact
