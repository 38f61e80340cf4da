#pragma once

/// The system calls that write files, in one table, so that a test can make any of them fail.

#include <sys/types.h>

#include <cstddef>

namespace rarefact {

/// Each as the call of that name: a negative value and errno on failure.
struct FileCalls {
  int (*open)(const char* path, int flags, unsigned mode);
  ssize_t (*write)(int descriptor, const void* bytes, std::size_t count);
  int (*sync)(int descriptor);
  int (*close)(int descriptor);
  int (*rename)(const char* from, const char* to);
  /// As rename, but EEXIST where there is anything under the new name, in one step.
  int (*rename_new)(const char* from, const char* to);
};

/// The system's own.
const FileCalls& system_calls();

/// The table that every file is written through. A test puts others in while no file is being written.
FileCalls& file_calls();

}  // namespace rarefact
