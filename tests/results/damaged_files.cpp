// Damaged result files: none is believed, none crashes the program or keeps it.

#include <catch2/catch.hpp>
#include <random>

#include "io/checksum.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"
#include "reference/random_cases.hpp"
#include "reference/sanitizer.hpp"
#include "results/answered_result.hpp"
#include "results/findings.hpp"
#include "results/result_file.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;

namespace {

/// The bytes with one bit flipped, a range of up to 4 KiB zeroed, or the end cut off.
std::string damaged_copy(std::string bytes, std::mt19937_64& draw) {
  const std::size_t kind = draw() % 3, at = draw() % bytes.size();
  if (kind == 0) bytes[at] = static_cast<char>(bytes[at] ^ 1 << draw() % 8);
  if (kind == 1)
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::min(bytes.size() - at, draw() % 4096),
                '\0');
  if (kind == 2) bytes.resize(at);
  return bytes;
}

/// Every other file without the .sha256 beside it.
void refuse_damaged_files(const Result& result, int files, std::uint64_t seed) {
  const ScratchFolder folder;
  const auto path = folder / "r.h5", beside = checksum_path(path);
  write_result(result, path);
  const std::string right = slurp(path), checksum = slurp(beside);
  std::mt19937_64 draw(seed);
  for (int n = 0; n < files; ++n) {
    const std::string bytes = damaged_copy(right, draw);
    if (bytes == right) continue;  // zeros were zeroed
    spill(path, bytes);
    spill(beside, checksum);
    if (n % 2 == 0) std::filesystem::remove(beside);
    INFO("seed " << seed << ", file " << n);
    REQUIRE_THROWS_AS(read_result(path), DamagedResult);
    REQUIRE(findings(path) != "");
    REQUIRE_THROWS(refuse_other_result(path, result.experiment));
    REQUIRE_THROWS(write_result(result, path));
    REQUIRE(slurp(path) == bytes);
    REQUIRE(std::filesystem::exists(beside) == (n % 2 != 0));
  }
}

/// Copies with single bytes changed, half of them in the heap of the texts, and a checksum that agrees.
/// Returns how many of them crash HDF5.
int crashes_of_forged_files(const Result& result, int files, std::uint64_t seed) {
  const ScratchFolder folder;
  const auto path = folder / "r.h5";
  write_result(result, path);
  const std::string right = slurp(path);
  const std::size_t heap = right.find("GCOL");
  REQUIRE(heap != std::string::npos);
  std::mt19937_64 draw(seed);
  int crashes = 0;
  for (int n = 0; n < files; ++n) {
    std::string bytes = right;
    const std::size_t at = n % 2 == 0 ? draw() % bytes.size() : heap + draw() % 64;
    bytes[at] = static_cast<char>(draw());
    spill(path, bytes);
    spill(checksum_path(path), checksum_line(file_sha256(path), path));
    INFO("seed " << seed << ", file " << n);
    const std::string found = findings(path);
    crashes += found.find("HDF5 crashes") != std::string::npos;
    if (found.empty()) REQUIRE_NOTHROW(read_result(path));
    if (!found.empty()) REQUIRE_THROWS_AS(read_result(path), DamagedResult);
  }
  return crashes;
}

}  // namespace

TEST_CASE("damage that crashes HDF5 crashes no reader, though its checksum agrees") {
  const reference::RandomCases cases(60, 3000);
  CHECK(crashes_of_forged_files(sample_result(), cases.count, cases.seed) > 0);
}

TEST_CASE("of damaged files none is read, taken for done or given a new checksum") {
  // A file takes ten times as long under a sanitizer.
  const reference::RandomCases cases(40, reference::under_sanitizer ? 300 : 3000);
  refuse_damaged_files(sample_result(), cases.count, cases.seed);
  refuse_damaged_files(wide_result(40, 30), cases.count / 4, cases.seed + 1);
  refuse_damaged_files(answered_result(4, 2), cases.count / 2, cases.seed + 2);
}
