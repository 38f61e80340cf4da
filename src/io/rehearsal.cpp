#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>

#include "io/hdf5.hpp"

namespace rarefact {

namespace {

/// The last byte that a copy sends: a copy that crashed sends none.
constexpr char went_well = '+', threw = '-';

/// In the copy: runs the action and sends the message of its exception, then the byte.
[[noreturn]] void act(const std::function<void()>& action, unsigned seconds, int out) {
  // The crash is expected: no file of its memory, and no handler of a sanitizer that reports it.
  const rlimit none{0, 0}, time{seconds, seconds + 1};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &time);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) std::signal(crash, SIG_DFL);
  std::string sent(1, went_well);
  try {
    action();
  } catch (const std::bad_alloc&) {
    // Not a property of the file; the caller sees for itself.
  } catch (const std::exception& error) {
    sent = std::string(error.what()) + threw;
  }
  _exit(write(out, sent.data(), sent.size()) < 0 ? 1 : 0);
}

/// All bytes that a copy sends.
std::string received(int in) {
  std::string all;
  char part[4096];
  while (true) {
    const ssize_t got = read(in, part, sizeof part);
    if (got > 0) all.append(part, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return all;
  }
}

}  // namespace

std::optional<std::string> rehearse(const std::function<void()>& action, unsigned seconds,
                                    const std::string& crash) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t copy = fork();
  if (copy == 0) act(action, seconds, ends[1]);
  const int refused = errno;
  close(ends[1]);
  std::string sent = copy > 0 ? received(ends[0]) : "";
  close(ends[0]);
  if (copy < 0) throw std::system_error(refused, std::generic_category(), "fork");
  while (waitpid(copy, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (sent.empty() || (sent.back() != went_well && sent.back() != threw)) return crash;
  if (sent.back() == went_well) return std::nullopt;
  sent.pop_back();
  return sent;
}

}  // namespace rarefact
