#include <catch2/catch.hpp>

#include "experiment/experiment.hpp"

using namespace rarefact;

using Steps = std::vector<std::int64_t>;

namespace {

Steps recorded(RecordRule::Kind kind, std::int64_t last, std::int64_t every = 1, Steps steps = {}) {
  return recorded_steps({.kind = kind, .every = every, .steps = std::move(steps)}, last);
}

}  // namespace

TEST_CASE("record = all records every step from the start to the end") {
  CHECK(recorded(RecordRule::Kind::all, 3) == Steps{0, 1, 2, 3});
  CHECK(recorded(RecordRule::Kind::all, 0) == Steps{0});
}

TEST_CASE("record = {every = n} records the multiples of n and the last step") {
  CHECK(recorded(RecordRule::Kind::every, 10, 4) == Steps{0, 4, 8, 10});
  CHECK(recorded(RecordRule::Kind::every, 8, 4) == Steps{0, 4, 8});
  CHECK(recorded(RecordRule::Kind::every, 3, 5) == Steps{0, 3});
}

TEST_CASE("multiples of n end before the largest 64-bit integer overflows") {
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  CHECK(recorded(RecordRule::Kind::every, last, last / 2) == Steps{0, last / 2, last - 1, last});
}

TEST_CASE("a list of steps is sorted, without repetition, and has the start and the end") {
  CHECK(recorded(RecordRule::Kind::list, 9, 1, {5, 2, 5}) == Steps{0, 2, 5, 9});
  CHECK(recorded(RecordRule::Kind::list, 9) == Steps{0, 9});
  CHECK(recorded(RecordRule::Kind::list, 9, 1, {0, 9}) == Steps{0, 9});
}

TEST_CASE("record = log records every early step, then about 16 for every factor of ten") {
  const Steps steps = recorded(RecordRule::Kind::log, 1000000);
  CHECK(Steps(steps.begin(), steps.begin() + 7) == Steps{0, 1, 2, 3, 4, 5, 6});
  CHECK(steps.back() == 1000000);
  for (double decade = 100; decade < 1e6; decade *= 10) {
    const auto in_decade = std::count_if(steps.begin(), steps.end(), [&](std::int64_t step) {
      return static_cast<double>(step) >= decade && static_cast<double>(step) < 10 * decade;
    });
    CHECK(in_decade == 16);
  }
  CHECK(recorded(RecordRule::Kind::log, 1) == Steps{0, 1});
}
