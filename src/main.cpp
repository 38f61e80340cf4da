#include <pthread.h>
#include <sys/resource.h>

#include <iostream>
#include <thread>

#include "cli/command.hpp"

namespace {

/// Small matrices are factorised on the stack: enough for every one of them.
constexpr std::size_t stack_bytes = std::size_t{8} << 20;

/// Makes the stacks of new threads large enough where the system's are not (ulimit -s); false if that of this
/// thread is not.
bool give_stacks() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  if (pthread_getattr_default_np(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &bytes);
    if (bytes < stack_bytes) {
      pthread_attr_setstacksize(&attributes, stack_bytes);
      pthread_setattr_default_np(&attributes);
    }
    pthread_attr_destroy(&attributes);
  }
  rlimit limit{};
  return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= stack_bytes;
}

}  // namespace

int main(int argc, char** argv) {
  rarefact::fit_terminal();
  int code = 0;
  const auto run = [&] { code = rarefact::run_program(argc, argv, std::cout, std::cerr); };
  if (give_stacks()) {
    run();
  } else {
    std::thread(run).join();
  }
  return code;
}
