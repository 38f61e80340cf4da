#include "cli/signals_and_limits.hpp"

#include <signal.h>

#include <catch2/catch.hpp>

#include "io/scratch_folder.hpp"

using namespace rarefact;

namespace {

/// The limit under files that a system with these would have.
double limit_with(const std::map<std::string, std::string>& files) {
  const ScratchFolder root;
  for (const auto& [name, text] : files) {
    std::filesystem::create_directories((root / name).parent_path());
    spill(root / name, text);
  }
  return memory_limit_bytes(root / "");
}

}  // namespace

TEST_CASE("the memory is that of the machine, or what the control group or one above it is allowed") {
  const double machine = limit_with({});
  CHECK(machine > 9e8);
  const std::string group = "proc/self/cgroup", top = "sys/fs/cgroup/";
  CHECK(limit_with({{group, "0::/job/step\n"}, {top + "job/step/memory.max", "1000000\n"}}) == 9e5);
  CHECK(limit_with({{group, "0::/job/step\n"},
                    {top + "job/step/memory.max", "max\n"},
                    {top + "job/memory.max", "2000000\n"}}) == 18e5);
  // A container that shows its own group as the topmost one.
  CHECK(limit_with({{group, "0::/\n"}, {top + "memory.max", "1000000\n"}}) == 9e5);
  CHECK(limit_with({{group, "0::/outside\n"}, {top + "memory.max", "1000000\n"}}) == 9e5);
  // Version 1, and its number for no limit.
  CHECK(limit_with({{group, "5:devices:/j\n4:cpu,memory:/j\n0::/\n"},
                    {top + "memory/j/memory.limit_in_bytes", "1000000\n"},
                    {top + "memory/memory.limit_in_bytes", "9223372036854771712\n"}}) == 9e5);
  CHECK(limit_with({{group, "nonsense\n"}}) == machine);
}

TEST_CASE("SIGTERM asks to stop however often it comes; after one SIGINT the next ends the process") {
  const StopRequest stop({});
  CHECK_FALSE(stop.requested());
  ::raise(SIGTERM);
  ::raise(SIGTERM);
  CHECK(stop.requested());
  CHECK(stop.reason() == "SIGTERM");
  ::raise(SIGINT);
  CHECK(stop.reason() == "SIGINT");
  struct sigaction now {};
  ::sigaction(SIGINT, nullptr, &now);
  CHECK(now.sa_handler == SIG_DFL);
}
