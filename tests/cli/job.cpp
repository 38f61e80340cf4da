#include "cli/job.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace rarefact;
using Catch::Contains;

namespace {

Shard slurm(const std::map<std::string, std::string>& variables) {
  return parse_shard("slurm", [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

TEST_CASE("times are whole numbers with units, the larger ones first") {
  CHECK(parse_duration("3h50m")->count() == 3 * 3600 + 50 * 60);
  CHECK(parse_duration("90s")->count() == 90);
  CHECK(parse_duration("2d")->count() == 2 * 86400);
  CHECK(parse_duration("45m")->count() == 45 * 60);
  CHECK(parse_duration("1h30m")->count() == 5400);
  CHECK(parse_duration("1d2h3m4s")->count() == 86400 + 7200 + 180 + 4);
  CHECK(parse_duration("0h1s")->count() == 1);
  for (const std::string bad : {"", "0s", "90", "1h1h", "5m3h", "1.5h", "-1s", "+1s", " 1s", "3 h", "1S",
                                "1w", "h", "1e3s", "99999999999999999999s", "forever"})
    CHECK_FALSE(parse_duration(bad));
}

TEST_CASE("a shard is i/n") {
  const Shard shard = parse_shard("3/40", {});
  CHECK(shard.index == 3);
  CHECK(shard.of == 40);
  for (const std::string bad :
       {"", "3", "3/", "/3", "3/3", "0/0", "-1/3", "0.5/2", "x/3", "1/x", "1/2/3", "Slurm"})
    CHECK_THROWS_WITH(parse_shard(bad, {}), Contains("expected i/n with whole numbers 0 <= i < n, or slurm"));
}

TEST_CASE("a Slurm array's task is a shard, whatever its first number and its step are") {
  Shard shard = slurm({{"SLURM_ARRAY_TASK_ID", "7"},
                       {"SLURM_ARRAY_TASK_MIN", "1"},
                       {"SLURM_ARRAY_TASK_COUNT", "4"},
                       {"SLURM_ARRAY_TASK_STEP", "3"}});
  CHECK(shard.index == 2);
  CHECK(shard.of == 4);
  shard =
      slurm({{"SLURM_ARRAY_TASK_ID", "0"}, {"SLURM_ARRAY_TASK_MIN", "0"}, {"SLURM_ARRAY_TASK_COUNT", "1"}});
  CHECK(shard.index == 0);
  CHECK(shard.of == 1);
}

TEST_CASE("Slurm variables that are missing or no range are told of") {
  CHECK_THROWS_WITH(slurm({}), Contains("SLURM_ARRAY_TASK_ID is not set") &&
                                   Contains("SLURM_ARRAY_TASK_MIN is not set") &&
                                   Contains("SLURM_ARRAY_TASK_COUNT is not set"));
  CHECK_THROWS_WITH(
      slurm({{"SLURM_ARRAY_TASK_ID", "x"}, {"SLURM_ARRAY_TASK_MIN", "0"}, {"SLURM_ARRAY_TASK_COUNT", "1"}}),
      Contains("SLURM_ARRAY_TASK_ID is \"x\""));
  // --array=1,5,6: three tasks, but no range.
  CHECK_THROWS_WITH(
      slurm({{"SLURM_ARRAY_TASK_ID", "5"}, {"SLURM_ARRAY_TASK_MIN", "1"}, {"SLURM_ARRAY_TASK_COUNT", "3"}}),
      Contains("the array must be a range"));
  CHECK_THROWS_AS(slurm({{"SLURM_ARRAY_TASK_ID", "2"},
                         {"SLURM_ARRAY_TASK_MIN", "1"},
                         {"SLURM_ARRAY_TASK_COUNT", "3"},
                         {"SLURM_ARRAY_TASK_STEP", "2"}}),
                  InputError);
}
