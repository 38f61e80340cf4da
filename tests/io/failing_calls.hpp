#pragma once

// While it lives, one of the system calls that write files fails, or is the last thing the process does.

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "io/atomic_file.hpp"

namespace rarefact {

enum class Fault { error, kill };

class FailingCalls {
 public:
  /// The call of this number, from 1, fails as a disk without room does, or kills the process in its middle;
  /// none where it is 0.
  explicit FailingCalls(int number, Fault fault = Fault::error) {
    made_ = 0;
    failing_ = number;
    kills_ = fault == Fault::kill;
    file_calls() = {
        .open = [](const char* path, int flags,
                   unsigned mode) { return fails() ? -1 : ::open(path, flags, mode); },
        .write = [](int file, const void* bytes, std::size_t count) -> ssize_t {
          if (++made_ != failing_) return ::write(file, bytes, count);
          // Some bytes are on the disk when it is full.
          [[maybe_unused]] const auto some = ::write(file, bytes, count / 2);
          fail();
          return -1;
        },
        .sync = [](int file) { return fails() ? -1 : ::fsync(file); },
        .close =
            [](int file) {
              const int result = ::close(file);
              return fails() ? -1 : result;
            },
        .rename = [](const char* from, const char* to) { return fails() ? -1 : std::rename(from, to); },
        .rename_new = [](const char* from,
                         const char* to) { return fails() ? -1 : system_calls().rename_new(from, to); },
    };
  }
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;
  ~FailingCalls() { file_calls() = system_calls(); }

  int made() const { return made_; }

 private:
  static bool fails() {
    if (++made_ != failing_) return false;
    fail();
    return true;
  }
  static void fail() {
    if (kills_) ::kill(::getpid(), SIGKILL);
    errno = ENOSPC;
  }
  inline static std::atomic<int> made_ = 0;
  inline static std::atomic<int> failing_ = 0;
  inline static std::atomic<bool> kills_ = false;
};

}  // namespace rarefact
