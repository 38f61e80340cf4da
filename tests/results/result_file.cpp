#include "results/result_file.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "io/build_info.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"
#include "results/same_result.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;

namespace {

std::string encoded(const Result& result) {
  const FileBytes file = encode_result(result);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

}  // namespace

TEST_CASE("a result that is written reads back equal, in one piece or in chunks") {
  const ScratchFolder folder;
  const Result small = sample_result(), wide = wide_result(300, 200);
  write_result(small, folder / "deep/folders/small.h5");
  write_result(wide, folder / "wide.h5");
  require_same(small, read_result(folder / "deep/folders/small.h5"));
  require_same(wide, read_result(folder / "wide.h5"));
  REQUIRE(check_result(folder / "wide.h5").empty());
  REQUIRE(read_stored_result(folder / "wide.h5").provenance.numerics_id == build_info::numerics_id);
}

TEST_CASE("steps that were never reached and variables that were not measured read NaN") {
  const ScratchFolder folder;
  Result result = sample_result();
  auto& series = result.runs[0].trajectories[0].series;
  series["error"].resize(2 * 3);  // two of four steps, three groups
  series.erase("gap");
  write_result(result, folder / "r.h5");
  const Result back = read_result(folder / "r.h5");
  const auto& read = back.runs[0].trajectories[0].series;
  REQUIRE(read.at("error").size() == 12);
  REQUIRE(read.at("error")[5] == series["error"][5]);
  REQUIRE(std::isnan(read.at("error")[6]));
  REQUIRE(std::isnan(read.at("gap")[0]));
}

TEST_CASE("places and names of classes from a table are in results that have some, and in no others") {
  const ScratchFolder folder;
  Result result = sample_result();
  result.runs[0].class_place = {3, std::nan(""), 1};
  result.runs[0].class_label = {"größe", "", "a b"};
  write_result(result, folder / "r.h5");
  const Result back = read_result(folder / "r.h5");
  CHECK(same_values(back.runs[0].class_place, result.runs[0].class_place));
  CHECK(back.runs[0].class_label == result.runs[0].class_label);
  CHECK(back.runs[1].class_label == std::vector<std::string>(2));
  CHECK(encoded(back) == encoded(result));
  CHECK(encoded(sample_result()).find("class_label") == std::string::npos);
}

TEST_CASE("equal results have equal bytes, whatever the heap held before") {
  const auto first = encoded(wide_result(300, 200));
  // Bytes that are neither zero nor those of the first round, for whoever writes memory it did not set.
  for (std::size_t size = 16; size <= (std::size_t{1} << 20); size *= 2) {
    const auto dirt = std::make_unique<char[]>(size);
    std::memset(dirt.get(), 0xa5, size);
  }
  REQUIRE(encoded(wide_result(300, 200)) == first);
  Result other = wide_result(300, 200);
  other.runs[0].trajectories[0].series["loss"][7] *= 1 + 1e-15;
  REQUIRE(encoded(other) != first);
}

TEST_CASE("a result that contradicts itself is a mistake of the program") {
  Result ragged = sample_result();
  ragged.runs[0].trajectories[0].series["error"].pop_back();
  REQUIRE_THROWS_AS(encoded(ragged), std::logic_error);
  Result unnamed = sample_result();
  unnamed.runs[0].trajectories[0].series["mystery"] = {1.0};
  REQUIRE_THROWS_AS(encoded(unnamed), std::logic_error);
  Result lossless = sample_result();
  lossless.variables.erase(lossless.variables.begin());
  REQUIRE_THROWS_AS(encoded(lossless), std::logic_error);
  Result swapped = sample_result();
  std::swap(swapped.runs[1].trajectories[0], swapped.runs[1].trajectories[1]);
  REQUIRE_THROWS_AS(encoded(swapped), std::logic_error);
}
