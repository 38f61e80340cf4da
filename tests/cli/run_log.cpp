#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/stored_sweep.hpp"

using namespace rarefact;

namespace {

nlohmann::json log_of(const StoredSweep& sweep) {
  return nlohmann::json::parse(slurp(sweep.result + ".log.json"));
}

}  // namespace

TEST_CASE("beside a result stands what it took, by which command, and what a paper's checklist asks") {
  StoredSweep sweep(small_sweep + "seed = [3, 4]\n\"optimizer.gd.schedule\" = [\"constant\"]\n");
  const Outcome run = sweep.run(
      {"--set", "optimizer.gd.step_size={search = [1, 8, 4], minimise = 'error'}", "--progress", "none"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const auto log = log_of(sweep);
  const auto& experiment = log["experiment"];
  CHECK(experiment["points"] == 12);
  CHECK(experiment["runs"] == 12 * (4 + 1));
  CHECK(experiment["seeds"] == nlohmann::json({3, 4}));
  REQUIRE(log["processes"].size() == 1);
  const auto& process = log["processes"][0];
  CHECK(process["points_computed"] == 12);
  CHECK(process["wall_seconds"] > 0);
  CHECK(process["cpu_seconds"] > 0);
  CHECK(process["peak_memory_bytes"] > 1e6);
  CHECK(process["command"].get<std::string>().find("'optimizer.gd.step_size={search") != std::string::npos);
  // A run that finds everything there adds nothing.
  sweep.run({"--set", "optimizer.gd.step_size={search = [1, 8, 4], minimise = 'error'}"});
  CHECK(log_of(sweep) == log);
}

TEST_CASE("the logs of shards become part of that of the result, and those of earlier processes stay") {
  const StoredSweep sweep;
  for (const char* shard : {"0/2", "1/2"}) sweep.run({"--shard", shard, "--progress", "none"});
  CHECK(!std::filesystem::exists(sweep.result + ".log.json"));
  REQUIRE(sweep.call("merge").code == 0);
  const auto log = log_of(sweep);
  REQUIRE(log["processes"].size() == 2);
  CHECK(log["processes"][0]["points_computed"] == 3);
  CHECK(!std::filesystem::exists(sweep.result + ".log-0-of-2.json"));
}

TEST_CASE("a log that cannot be written is a warning and no failure, and none is written through a link") {
  const StoredSweep sweep(single_run);
  const std::string log = sweep.result + ".log.json", mine = sweep.folder / "mine";
  spill(mine, "mine");
  const std::vector<std::pair<std::function<void()>, bool>> cases = {
      {[&] { std::filesystem::create_directories(log); }, false},
      {[&] { ::mkfifo(log.c_str(), 0600); }, false},
      {[&] { std::filesystem::create_symlink(mine, log); }, true}};
  for (const auto& [make, written] : cases) {
    std::filesystem::remove(log);
    make();
    std::filesystem::remove(sweep.result);
    const Outcome run = sweep.run({"--progress", "none"});
    CHECK(run.code == 0);
    CHECK((run.err.find("warning: no log is kept") == std::string::npos) == written);
  }
  CHECK(slurp(mine) == "mine");
  CHECK(log_of(sweep)["processes"].size() == 1);
}
