// What a shard says and refuses: its own points, no others.

#include <catch2/catch.hpp>

#include "cli/stored_sweep.hpp"

using namespace rarefact;
using Catch::Contains;

TEST_CASE("a point too large for this machine is refused with its memory, by whom it belongs to alone") {
  // The large point would take 3 K^2 doubles and more; it takes longest, so it is dealt to the first shard.
  const StoredSweep sweep(R"(name = "large"
[embedding]
kind = "toeplitz"
rho = 0.5
[classes]
spectrum = "uniform"
[run]
steps = 2
classes = [1, "last"]
[[optimizer]]
rule = "gd"
step_size = 1
[sweep]
classes.count = [4, 3000000]
)");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--shard", "0/2"}, {"--shard", "0/2", "--dry-run"}, {"--dry-run"}}) {
    const Outcome refused = sweep.run(more);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("point 1 (classes.count = 3000000): ") &&
                                Contains("on engine 'dense' would take ") && Contains(" TB of ") &&
                                !Contains("point 0"));
    CHECK(sweep.folder.entries() == 1);
  }
  const Outcome dry = sweep.run({"--shard", "1/2", "--dry-run"});
  CHECK(dry.code == 0);
  CHECK_THAT(dry.out, Contains("# point 0: ") && !Contains("# point 1"));
  CHECK(sweep.run({"--shard", "1/2"}).code == 0);
  CHECK(sweep.records().size() == 1);
}

TEST_CASE("the option --dry-run with --shard is about the points of the shard") {
  const StoredSweep sweep;
  REQUIRE(sweep.run({"--shard", "0/4"}).code == 0);
  REQUIRE(sweep.records().size() == 2);
  const Outcome mine = sweep.run({"--shard", "0/4", "--dry-run"}),
                next = sweep.run({"--shard", "3/4", "--dry-run"});
  CHECK_THAT(mine.out, Contains("# shard 0/4: 2 of these points\n# 2 done, 0 missing\n\n"));
  CHECK(sweep.records().size() == 2);
  CHECK_THAT(
      next.out,
      Contains("# shard 3/4: 1 of these points\n# 0 done, 1 missing\n# time for what is missing: about ") &&
          Contains("# memory: at most about "));
  const auto shown = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("# point ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  CHECK(shown(mine.out) == 2);
  CHECK(shown(next.out) == 1);
  CHECK_THAT(sweep.run({"--shard", "0/4"}).err, Contains("2 points are there already"));
}
