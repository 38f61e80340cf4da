#include "io/atomic_file.hpp"

#include <catch2/catch.hpp>

#include "io/failing_calls.hpp"
#include "io/regular_file.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

TEST_CASE("a file appears when it is published, and one that is not leaves nothing") {
  const ScratchFolder folder;
  const std::string text = "whole";
  {
    TemporaryFile file(folder / "f", bytes_of(text));
    CHECK(is_temporary_name(file.path().filename().string()));
    CHECK(slurp(file.path()) == text);
    CHECK(folder.entries() == 1);
    file.publish();
    CHECK(folder.entries() == 1);
  }
  CHECK(slurp(folder / "f") == text);
  CHECK_FALSE(is_temporary_name("f"));
  { const TemporaryFile unpublished(folder / "g", bytes_of(text)); }
  CHECK(folder.entries() == 1);
}

TEST_CASE("a file that is published as a new one never takes the place of another") {
  const ScratchFolder folder;
  const std::string text = "whole", other = "other";
  {
    TemporaryFile file(folder / "f", bytes_of(text));
    CHECK(file.publish_new());
  }
  {
    TemporaryFile late(folder / "f", bytes_of(other));
    CHECK_FALSE(late.publish_new());
    CHECK(folder.entries() == 2);
  }
  CHECK(slurp(folder / "f") == text);
  std::filesystem::create_symlink("nowhere", folder / "link");
  TemporaryFile linked(folder / "link", bytes_of(other));
  CHECK_FALSE(linked.publish_new());
  CHECK(std::filesystem::is_symlink(folder / "link"));
  TemporaryFile lost(folder / "g", bytes_of(other));
  std::filesystem::remove(lost.path());
  CHECK_THROWS_AS(lost.publish_new(), FileError);
}

TEST_CASE("whichever call fails, an older file stays as it was and no temporary file is left") {
  const ScratchFolder folder;
  int calls = 0;
  {
    const FailingCalls none(0);
    write_file(folder / "f", "old");
    calls = none.made();
  }
  // open, write, fsync, close, rename; open and fsync of the folder.
  REQUIRE(calls == 7);
  for (int failing = 1; failing <= calls; ++failing) {
    spill(folder / "f", "old");
    {
      const FailingCalls fault(failing);
      INFO("call " << failing);
      CHECK_THROWS_AS(write_file(folder / "f", "new"), FileError);
    }
    // Once renamed it has its name; only whether that outlives a power cut is not known.
    CHECK(slurp(folder / "f") == (failing <= 5 ? "old" : "new"));
    CHECK(folder.entries() == 1);
  }
}

TEST_CASE("folders that are made are synced into the folders above them") {
  const ScratchFolder folder;
  const FailingCalls none(0);
  make_folder_of(folder / "a/b/c/file");
  CHECK(std::filesystem::is_directory(folder / "a/b/c"));
  CHECK(none.made() == 6);  // an open and an fsync for each of them
  make_folder_of(folder / "a/b/c/file");
  CHECK(none.made() == 6);
  spill(folder / "plain", "x");
  CHECK_THROWS_AS(make_folder_of(folder / "plain/file"), FileError);
}

TEST_CASE("only plain files are read whole") {
  const ScratchFolder folder;
  spill(folder / "f", std::string("a\0b", 3));
  CHECK(read_bytes(folder / "f").size() == 3);
  CHECK_THROWS_AS(read_bytes(folder / "none"), FileError);
  CHECK_THROWS_AS(read_bytes(folder / ""), FileError);
}
