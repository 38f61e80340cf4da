// Runs and sweeps whose disk fails, or that are killed, at every possible moment.

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>

#include "cli/stored_sweep.hpp"
#include "io/checksum.hpp"
#include "io/failing_calls.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// Of few steps, without digits: the calls are the same.
std::string shortened(std::string text) {
  return text.replace(text.find("steps = 30"), 10, "steps = 3\ndigits = \"off\"");
}
/// Every point makes the same system calls, so two of them are enough.
const std::string two_points = shortened(small_sweep.substr(0, small_sweep.find("[sweep]"))) +
                               "[sweep]\nclasses.exponent = [1, 2]\n",
                  one_point = shortened(single_run);

/// A run in which the call of this number fails, or kills it in its middle; nothing if it ended before that call.
std::optional<Outcome> run_with(const StoredSweep& sweep, int number, Fault kind) {
  if (kind == Fault::error) {
    const FailingCalls fault(number);
    const Outcome outcome = sweep.run();
    return fault.made() < number ? std::nullopt : std::optional(outcome);
  }
  const pid_t child = ::fork();
  if (child == 0) {
    // Only this thread lives on in the child, and one job needs no other.
    const FailingCalls fault(number, kind);
    ::_exit(sweep.run().code);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL));
  return WIFEXITED(status) ? std::nullopt : std::optional<Outcome>{Outcome{}};
}

/// A run is disturbed at each of its calls in turn: it leaves a whole result or none, and a second run goes on to the bytes
/// of an undisturbed one. The largest number of points that the second one found finished.
std::size_t check_faults(const std::string& experiment, Fault kind) {
  int calls = 0;
  std::string whole, checksum;
  {
    const StoredSweep undisturbed(experiment);
    const FailingCalls none(0);
    REQUIRE(undisturbed.run().code == 0);
    calls = none.made();
    whole = slurp(undisturbed.result);
    checksum = slurp(checksum_path(undisturbed.result));
    CHECK(check_result(undisturbed.result).empty());
  }
  const bool single = experiment == one_point;
  REQUIRE(calls > (single ? 2 * 5 : 2 * 2 + 2 * 5));
  std::size_t max_kept = 0;
  for (int number = 1; number <= calls; ++number) {
    const StoredSweep sweep(experiment);
    INFO("call " << number << " of about " << calls);
    const std::optional<Outcome> outcome = run_with(sweep, number, kind);
    // Points that wait together share one sync, so the number of calls varies a little.
    if (!outcome) continue;
    if (std::filesystem::exists(sweep.result)) {
      CHECK(slurp(sweep.result) == whole);
      // The checksum takes its name last.
      if (std::filesystem::exists(checksum_path(sweep.result)))
        CHECK(slurp(checksum_path(sweep.result)) == checksum);
    }
    if (!single) CHECK_THAT(sweep.call("status").out, Contains("damaged  0\n"));
    std::string found;
    // The log, which is written last, is not needed.
    if (kind == Fault::error && outcome->err.find("no log is kept") == std::string::npos) {
      CHECK(outcome->code == 3);
      CHECK_THAT(outcome->err, Contains("error: ") && Contains("No space left on device"));
      CHECK(outcome->out.empty());
      for (const auto& [name, bytes] : sweep.stored()) CHECK(name.ends_with(".points"));
      const std::size_t kept = sweep.records().size();
      max_kept = std::max(max_kept, kept);
      if (kept > 0) found = kept == 1 ? "1 point is there already" : "2 points are there already";
    }
    const Outcome again = sweep.run();
    CHECK(again.code == 0);
    CHECK_THAT(again.err, Contains(found) || Contains("nothing to do"));
    CHECK(slurp(sweep.result) == whole);
    CHECK(slurp(checksum_path(sweep.result)) == checksum);
    CHECK_FALSE(std::filesystem::exists(sweep.points));
    if (kind == Fault::error)
      CHECK(sweep.folder.entries() <= 4);  // experiment, result, checksum, perhaps log
  }
  return max_kept;
}

}  // namespace

TEST_CASE(
    "whichever system call fails, a sweep ends with 3, loses nothing finished and goes on to the same "
    "bytes") {
  CHECK(check_faults(two_points, Fault::error) == 2);
}

TEST_CASE("a single run whose disk fails ends with 3 and leaves no half result behind") {
  check_faults(one_point, Fault::error);
}

TEST_CASE("killed in the middle of any system call that writes, a run or sweep goes on to the same bytes") {
  check_faults(two_points, Fault::kill);
  check_faults(one_point, Fault::kill);
}
