// What goes wrong around result files: other experiments, folders, disks, checksums.

#include <catch2/catch.hpp>

#include "core/digest.hpp"
#include "io/atomic_file.hpp"
#include "io/checksum.hpp"
#include "io/scratch_folder.hpp"
#include "io/sealed_record.hpp"
#include "rarefact/error.hpp"
#include "results/findings.hpp"
#include "results/result_file.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;

using Catch::Contains;

TEST_CASE("a result of another experiment, or a file of the user's, is never overwritten") {
  const ScratchFolder folder;
  write_result(sample_result(), folder / "r.h5");
  const std::string before = slurp(folder / "r.h5");
  Result other = sample_result();
  other.experiment += "seed = 2\n";
  REQUIRE_THROWS_AS(write_result(other, folder / "r.h5"), InputError);
  REQUIRE(slurp(folder / "r.h5") == before);
  spill(folder / "notes.txt", "mine");
  REQUIRE_THROWS_AS(write_result(other, folder / "notes.txt"), InputError);
  REQUIRE(slurp(folder / "notes.txt") == "mine");
  REQUIRE_THROWS_AS(refuse_other_result(folder / "", "x"), InputError);
  REQUIRE_NOTHROW(refuse_other_result(folder / "free.h5", "x"));
}

TEST_CASE("a file that appears while a result is written is compared: the same is fine, another one stays") {
  static std::string appearing;
  static std::filesystem::path place;
  const ScratchFolder folder;
  place = folder / "r.h5";
  Result other = sample_result(), newer = sample_result();
  other.experiment += "seed = 2\n";
  newer.runs[0].trajectories[0].series["loss"][0] = 0.5;
  const auto write_late = [&](const Result& earlier) {
    std::filesystem::remove(place);
    std::filesystem::remove(checksum_path(place));
    write_result(earlier, folder / "earlier.h5");
    appearing = slurp(folder / "earlier.h5");
    std::filesystem::remove(folder / "earlier.h5");
    std::filesystem::remove(folder / "earlier.h5.sha256");
    file_calls().rename_new = [](const char* from, const char* to) {
      if (to == place) spill(place, appearing);
      return system_calls().rename_new(from, to);
    };
    std::string refusal;
    try {
      write_result(sample_result(), place);
    } catch (const InputError& error) {
      refusal = error.what();
    }
    file_calls() = system_calls();
    return refusal;
  };
  REQUIRE(write_late(sample_result()) == "");
  REQUIRE(findings(place) == "");
  REQUIRE_THAT(write_late(other), Contains("different experiment"));
  REQUIRE(slurp(place) == appearing);
  REQUIRE(folder.entries() == 1);
  // Another program's numbers for the same experiment are replaced.
  REQUIRE(write_late(newer) == "");
  REQUIRE(slurp(place) != appearing);
  REQUIRE(findings(place) == "");
}

TEST_CASE("writing the same bytes again touches nothing, and writing heals a missing or stale checksum") {
  const ScratchFolder folder;
  const auto path = folder / "r.h5";
  write_result(sample_result(), path);
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(path, old);
  write_result(sample_result(), path);
  REQUIRE(std::filesystem::last_write_time(path) == old);
  std::filesystem::remove(checksum_path(path));
  write_result(sample_result(), path);
  REQUIRE(findings(path) == "");
  // As a kill between the two last steps leaves it where a result is replaced: a checksum of other bytes.
  spill(checksum_path(path), checksum_line(std::string(64, '1'), path));
  REQUIRE_THAT(findings(path), Contains("its bytes are not those"));
  write_result(sample_result(), path);
  REQUIRE(findings(path) == "");
  // A newer program's numbers for the same experiment replace the older ones.
  Result newer = sample_result();
  newer.runs[0].trajectories[0].series["loss"][0] = 0.5;
  write_result(newer, path);
  REQUIRE(findings(path) == "");
  REQUIRE(read_result(path).runs[0].trajectories[0].series["loss"][0] == 0.5);
  REQUIRE(folder.entries() == 2);
}

TEST_CASE("a folder that cannot be made or written is a FileError that names it") {
  const ScratchFolder folder;
  spill(folder / "file", "");
  REQUIRE_THROWS_AS(write_result(sample_result(), folder / "file/r.h5"), FileError);
  REQUIRE_THROWS_WITH(write_result(sample_result(), "/proc/nowhere/r.h5"), Contains("/proc/nowhere"));
  if (::geteuid() == 0) return;  // to root every folder is writable
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::permissions(folder / "locked",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  REQUIRE_THROWS_WITH(write_result(sample_result(), folder / "locked/r.h5"), Contains("Permission denied"));
}

TEST_CASE("check finds a malformed and a foreign checksum, and is content with that in a file copied alone") {
  const ScratchFolder folder;
  const auto path = folder / "r.h5";
  write_result(sample_result(), path);
  const std::string right = slurp(checksum_path(path));
  std::filesystem::remove(checksum_path(path));
  REQUIRE(findings(path) == "");
  REQUIRE_NOTHROW(read_result(path));
  for (const std::string& wrong : {std::string(), right.substr(0, 70), right + right, "z" + right.substr(1),
                                   checksum_line(right.substr(0, 64), "other.h5")}) {
    spill(checksum_path(path), wrong);
    REQUIRE_THAT(findings(path), Contains("is not the checksum of this file"));
    REQUIRE_THROWS_AS(read_result(path), DamagedResult);
  }
  REQUIRE_THROWS_AS(check_result(folder / "none.h5"), FileError);
  REQUIRE_THROWS_AS(check_result(folder / ""), FileError);
}

TEST_CASE(
    "a file without any checksum, as older programs wrote it, is not read until someone vouches for it") {
  const ScratchFolder folder;
  const auto path = folder / "r.h5";
  write_result(sample_result(), path);
  const std::string right = slurp(path), unsealed = right.substr(0, right.size() - seal_bytes);
  spill(path, unsealed);
  std::filesystem::remove(checksum_path(path));
  REQUIRE_THAT(findings(path), Contains("has none inside") && Contains("sha256sum r.h5 > r.h5.sha256"));
  REQUIRE_THROWS_AS(read_result(path), DamagedResult);
  REQUIRE_THROWS_AS(refuse_other_result(path, sample_result().experiment), DamagedResult);
  spill(checksum_path(path), checksum_line(sha256_hex(unsealed), path));
  REQUIRE(findings(path) == "");
  REQUIRE_NOTHROW(refuse_other_result(path, sample_result().experiment));
}
