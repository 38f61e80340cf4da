#include "rarefact/io/file_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace rarefact {

const FileCalls& system_calls() {
  static const FileCalls calls = {
      .open = [](const char* path, int flags, unsigned mode) { return ::open(path, flags, mode); },
      .write = ::write,
      .sync = ::fsync,
      .close = ::close,
      .rename = ::rename,
  };
  return calls;
}

FileCalls& file_calls() {
  static FileCalls calls = system_calls();
  return calls;
}

}  // namespace rarefact
