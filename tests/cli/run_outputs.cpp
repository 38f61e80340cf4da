// Where results go: names nothing can be written under, results without their checksum, leftovers.

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>

#include "cli/stored_sweep.hpp"
#include "io/atomic_file.hpp"
#include "io/checksum.hpp"

using namespace rarefact;
using Catch::Contains;

TEST_CASE("an output that cannot be is refused with 2 before the first point, and nothing is written") {
  for (const std::string& text : {small_sweep, single_run}) {
    const StoredSweep sweep(text);
    const std::string pipe = (sweep.folder / "pipe").string(), link = (sweep.folder / "link").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::filesystem::create_symlink(sweep.folder / "nowhere", link);
    const std::string long_name = (sweep.folder / std::string(240, 'x')).string();
    const std::vector<std::pair<std::string, std::string>> outputs = {
        {"", "empty name"},
        {(sweep.folder / "d1/").string(), "is a folder"},
        {"/dev/null", "not a regular file"},
        {pipe, "not a regular file"},
        {link, "link to a file that is not there"},
        {long_name, "240 bytes; at most 234"},
        {sweep.folder.operator/("").string(), "is a folder"}};
    for (const auto& [output, what] : outputs) {
      for (const std::string command : {"run", "merge", "status"}) {
        INFO(command << " -o '" << output << "'");
        const Outcome outcome = rarefact_program({command, sweep.experiment, "-o", output});
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.err, Contains(what) || Contains("no [sweep]"));
      }
    }
    CHECK(sweep.folder.entries() == 3);
    CHECK(std::filesystem::is_symlink(link));
  }
  const StoredSweep longest;
  const std::string name = (longest.folder / std::string(234, 'x')).string();
  CHECK(rarefact_program({"run", longest.experiment, "-o", name}).code == 0);
  const Outcome table = rarefact_program({"table", name, "--rows", "classes.exponent,embedding.kind",
                                          "--columns", "optimizer", "-o", "/dev/null"});
  CHECK(table.code == 2);
  CHECK_THAT(table.err, Contains("--output: /dev/null is not a regular file"));
}

TEST_CASE("the missing checksum of a result is written anew, and status says what run refuses") {
  for (const std::string& text : {small_sweep, single_run}) {
    const StoredSweep sweep(text);
    const std::filesystem::path checksum = sweep.result + ".sha256";
    REQUIRE(sweep.run().code == 0);
    const std::string right = slurp(checksum);
    std::filesystem::remove(checksum);
    CHECK_THAT(sweep.call("status").out, Contains("(there)"));
    const Outcome again = sweep.run();
    CHECK(again.code == 0);
    CHECK_THAT(again.err, Contains("nothing to do") && Contains("e.h5.sha256 was missing"));
    CHECK(slurp(checksum) == right);
    CHECK_THAT(sweep.call("status").out, Contains("(there)"));
    const std::string whole = slurp(sweep.result);
    std::string flipped = whole;
    flipped[flipped.size() / 3] ^= 1;
    spill(sweep.result, flipped);
    std::filesystem::remove(checksum);
    CHECK_THAT(sweep.call("status").out, Contains("(damaged: its bytes are not those"));
    const Outcome damaged = sweep.run();
    CHECK(damaged.code == 4);
    CHECK_THAT(damaged.err, Contains("delete it to compute it again"));
    CHECK(slurp(sweep.result) == flipped);
    CHECK_FALSE(std::filesystem::exists(checksum));
    spill(sweep.result, whole);
    for (const std::string& wrong :
         {std::string("nonsense\n"), checksum_line(std::string(64, '1'), sweep.result)}) {
      spill(checksum, wrong);
      CHECK_THAT(sweep.call("status").out, Contains("(damaged: "));
      CHECK(sweep.run().code == 4);
      CHECK(slurp(checksum) == wrong);
    }
  }
}

TEST_CASE("what a killed merge left is removed by the next merge or run, also where the result is there") {
  const StoredSweep sweep;
  REQUIRE(sweep.run({"--shard", "0/1"}).code == 0);
  const std::vector<std::filesystem::path> left = {sweep.folder / ".e.h5.01234567.tmp",
                                                   sweep.folder / ".e.h5.sha256.01234567.tmp",
                                                   sweep.points / ".x.h5.01234567.tmp"};
  const auto fresh = sweep.folder / ".e.h5.89abcdef.tmp";
  spill(fresh, "of a process at work");
  const TemporaryFile result(sweep.result, {}), point(sweep.points / "x", {});  // of one suspended for long
  for (const TemporaryFile* suspended : {&result, &point}) make_old(suspended->path());
  for (const char* command : {"merge", "merge", "run"}) {
    for (const auto& path : left) {
      spill(path, "half");
      make_old(path);
    }
    CHECK(sweep.call(command).code == 0);
    for (const auto& path : left) CHECK_FALSE(std::filesystem::exists(path));
    for (const auto& path : {fresh, result.path(), point.path()}) CHECK(std::filesystem::exists(path));
  }
}

TEST_CASE("the hint after a refused merge is the command that helps, words quoted for the shell") {
  const StoredSweep sweep;
  const std::string output = (sweep.folder / "it's here.h5").string();
  const Outcome merge = rarefact_program(
      {"merge", sweep.experiment, "-o", output, "--set", "sweep.seed=[1, 2]", "--set", "run.steps=31"});
  CHECK(merge.code == 4);
  CHECK_THAT(merge.err, Contains("\nrarefact run " + sweep.experiment + " -o '" +
                                 (sweep.folder / "it'\\''s here.h5").string() +
                                 "' --set 'sweep.seed=[1, 2]' --set run.steps=31 computes them"));
}
