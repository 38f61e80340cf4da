#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "sim/resolve.hpp"

using namespace rarefact;

TEST_CASE("recorded steps are ascending, without repetition, from the start to the end") {
  using Kind = RecordRule::Kind;
  using Steps = std::vector<std::int64_t>;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  struct Case {
    RecordRule rule;
    std::int64_t last;
    Steps expected;
  };
  for (const auto& [rule, last, expected] :
       {Case{{Kind::all}, 3, {0, 1, 2, 3}},
        {{Kind::all}, 0, {0}},
        {{Kind::every, 4}, 10, {0, 4, 8, 10}},
        {{Kind::every, 4}, 8, {0, 4, 8}},
        {{Kind::every, 5}, 3, {0, 3}},
        {{Kind::every, most / 2}, most, {0, most / 2, most - 1, most}},  // nothing overflows
        {{Kind::list, 1, {5, 2, 5}}, 9, {0, 2, 5, 9}},
        {{Kind::list}, 9, {0, 9}},
        {{Kind::list, 1, {0, 9}}, 9, {0, 9}},
        {{Kind::log}, 1, {0, 1}},
        {{Kind::log}, 8, {0, 1, 2, 3, 4, 5, 6, 7, 8}}})
    CHECK(recorded_steps(rule, last) == expected);
  const Steps log = recorded_steps({Kind::log}, 1000000);
  for (double decade = 100; decade < 1e6; decade *= 10) {
    CHECK(std::ranges::count_if(log, [&](std::int64_t step) {
            return static_cast<double>(step) >= decade && static_cast<double>(step) < 10 * decade;
          }) == 16);
  }
}
