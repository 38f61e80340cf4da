// Disks that fail at every possible moment of a sweep.

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "cli/stored_sweep.hpp"
#include "io/failing_calls.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// Every point makes the same system calls, so two of them are enough.
const std::string two_points =
    small_sweep.substr(0, small_sweep.find("[sweep]")) + "[sweep]\nclasses.exponent = [1, 2]\n";

/// The bytes of their result when nothing disturbs it.
const std::string& whole_result() {
  static const std::string bytes = [] {
    const StoredSweep sweep(two_points);
    sweep.run();
    return slurp(sweep.result);
  }();
  return bytes;
}

/// The result is whole, and there are no temporary files.
void check_no_half_file(const StoredSweep& sweep) {
  if (std::filesystem::exists(sweep.result)) CHECK(slurp(sweep.result) == whole_result());
  const Outcome status = sweep.call("status");
  CHECK_THAT(status.out, Contains("damaged  0\n"));
  for (const auto& [name, bytes] : sweep.stored()) CHECK(name.ends_with(".points"));
}

}  // namespace

TEST_CASE(
    "whichever system call fails, a sweep ends with 3, loses nothing finished and goes on to the same "
    "bytes") {
  int calls = 0;
  {
    const StoredSweep sweep(two_points);
    const FailingCalls none(0);
    REQUIRE(sweep.run().code == 0);
    calls = none.made();
  }
  REQUIRE(calls > 2 * 2 + 2 * 5);
  std::size_t max_kept = 0;
  for (int failing = 1; failing <= calls; ++failing) {
    const StoredSweep sweep(two_points);
    INFO("call " << failing << " of about " << calls);
    Outcome outcome;
    int made = 0;
    {
      const FailingCalls fault(failing);
      outcome = sweep.run();
      made = fault.made();
    }
    // Points that wait together share one sync, so the number of calls varies a little.
    if (made < failing || outcome.err.find("no log is kept") != std::string::npos) continue;
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, Contains("error: ") && Contains("No space left on device"));
    CHECK(outcome.out.empty());
    check_no_half_file(sweep);
    const auto kept = sweep.records();
    max_kept = std::max(max_kept, kept.size());
    const Outcome again = sweep.run();
    CHECK(again.code == 0);
    CHECK(slurp(sweep.result) == whole_result());
    CHECK(has_checksum(sweep.result));
    CHECK_FALSE(std::filesystem::exists(sweep.points));
    const std::string there = kept.size() == 1 ? "1 point is there already" : "2 points are there already";
    if (!kept.empty()) CHECK_THAT(again.err, Contains(there) || Contains("nothing to do"));
  }
  CHECK(max_kept == 2);
}

TEST_CASE("killed in the middle of any system call that writes, a sweep goes on to the same bytes") {
  whole_result();  // so that no child computes it
  bool ended = false;
  for (int deadly = 1; !ended; ++deadly) {
    REQUIRE(deadly < 1000);
    const StoredSweep sweep(two_points);
    INFO("call " << deadly);
    const pid_t child = ::fork();
    if (child == 0) {
      // Only this thread lives on in the child, and one job needs no other.
      const FailingCalls fault(deadly, Fault::kill);
      ::_exit(sweep.run().code);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    ended = WIFEXITED(status);
    CHECK((ended ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL));
    const Outcome now = sweep.call("status");
    CHECK_THAT(now.out, Contains("damaged  0\n"));
    if (std::filesystem::exists(sweep.result)) CHECK(slurp(sweep.result) == whole_result());
    const Outcome again = sweep.run();
    CHECK(again.code == 0);
    CHECK(slurp(sweep.result) == whole_result());
    CHECK(has_checksum(sweep.result));
  }
}

TEST_CASE("a single run whose disk fails ends with 3 and leaves no half result behind") {
  int calls = 0;
  std::string whole;
  {
    const StoredSweep single(single_run);
    const FailingCalls none(0);
    REQUIRE(single.run().code == 0);
    calls = none.made();
    whole = slurp(single.result);
  }
  for (int failing = 1; failing <= calls; ++failing) {
    const StoredSweep single(single_run);
    INFO("call " << failing << " of " << calls);
    {
      const FailingCalls fault(failing);
      const Outcome run = single.run();
      // All but the log, which is written last, is needed.
      CHECK((run.code == 3 || run.err.find("no log is kept") != std::string::npos));
    }
    // The checksum takes its name last.
    if (std::filesystem::exists(single.result)) {
      CHECK(slurp(single.result) == whole);
      CHECK(check_result(single.result).empty());
    }
    CHECK(single.run().code == 0);
    CHECK(slurp(single.result) == whole);
    CHECK(check_result(single.result).empty());
    CHECK(single.folder.entries() <= 4);  // experiment, result, checksum, perhaps log
  }
}
