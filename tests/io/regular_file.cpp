// The door to files: what is not a regular file is neither waited for nor written over.

#include "io/regular_file.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "io/array_file.hpp"
#include "io/atomic_file.hpp"
#include "io/checksum.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;

TEST_CASE("every reader refuses a pipe, a device and a folder at once, and follows a link to a file") {
  const ScratchFolder folder;
  const auto pipe = folder / "pipe", inside = folder / "inside", file = folder / "file",
             link = folder / "link";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_directory(inside);
  spill(file, "1\n");
  std::filesystem::create_symlink(file, link);
  for (const std::filesystem::path& path :
       {pipe, inside, std::filesystem::path("/dev/zero"), folder / "none"}) {
    INFO(path);
    CHECK_THROWS_AS(open_regular_file(path), FileError);
    CHECK_THROWS_AS(read_bytes(path), FileError);
    CHECK_THROWS_AS(file_sha256(path), FileError);
    if (path == folder / "none") continue;
    CHECK_THROWS_AS(read_counts(path, "1"), InputError);
    CHECK_THROWS_AS(read_npy(path), InputError);
    CHECK_THROWS_AS(read_hdf5_array(path.string() + ":/x"), InputError);
  }
  CHECK(read_bytes(link).size() == 2);
  CHECK(read_counts(link, "1").count == std::vector<double>{1});
  CHECK(name_objection(link).empty());
}

TEST_CASE("a disk that fails is no fault of what is in the file") {
  // To read its beginning is an error of input and output.
  CHECK_THROWS_AS(read_counts("/proc/self/mem", "1"), FileError);
  CHECK_THROWS_AS(read_npy("/proc/self/mem"), FileError);
}

TEST_CASE("a file without an end in sight is read as long as it says it is") {
  // Of the files of /proc the length is said to be 0, whatever they hold.
  CHECK(read_bytes("/proc/self/status").empty());
}

TEST_CASE("a result that a link leads to has its checksum there") {
  const ScratchFolder folder;
  const auto file = folder / "r.h5", link = folder / "l.h5";
  spill(file, "bytes");
  write_file(checksum_path(file), checksum_line(file_sha256(file), file));
  std::filesystem::create_symlink("r.h5", link);
  CHECK(verify_checksum(read_bytes(link), link) == ChecksumState::agrees);
  spill(file, "other");
  CHECK(verify_checksum(read_bytes(link), link) == ChecksumState::differs);
}
