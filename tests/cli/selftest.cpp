#include "cli/selftest.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

#include "cli/in_process.hpp"
#include "optim/update_rule.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// A product of which one entry is off by its last bit.
void slip(Index depth, const double* a, const double* b, double* c, Index c_stride) {
  product_kernels<double>().front().add_block(depth, a, b, c, c_stride);
  c[0] = std::nextafter(c[0], 9e9);
}

/// How many comparisons the line of a part says there were.
std::size_t comparisons(const std::string& text, const SelftestPart& part) {
  std::smatch found;
  const std::regex line("\n" + part.name + " +([0-9]+) comparisons");
  return std::regex_search(text, found, line) ? std::stoul(found[1]) : 0;
}

}  // namespace

TEST_CASE("the selftest of this machine is sound, and says what was compared, where and by which program") {
  const Outcome outcome = rarefact_program({"selftest"});
  INFO(outcome.out);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Catch::StartsWith(program_identity()) && Catch::EndsWith("\nsound\n") &&
                              Contains("kernels portable"));
  const std::vector<SelftestPart>& parts = selftest_parts();
  REQUIRE(parts.size() == 4);
  // A rule has 32 points, each on the dense engine at least, with five series and more.
  CHECK(comparisons(outcome.out, parts[0]) > 32 * 5 * optimizer_catalogue().size());
  CHECK(comparisons(outcome.out, parts[1]) > 100);
  CHECK(comparisons(outcome.out, parts[2]) ==
        3 * (product_kernels<double>().size() + product_kernels<float>().size()));
  CHECK(comparisons(outcome.out, parts[3]) > 5 * optimizer_catalogue().size());
}

TEST_CASE("the selftest sees engines that differ by rounding, a kernel that slips and a file that changed") {
  std::filesystem::path folder;
  SelftestSetup setup{
      .threads = 2, .slack = 0, .after_write = [&](const std::filesystem::path& file) {
        folder = file.parent_path();
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(1000).put('\x5a');
      }};
  setup.kernels.push_back({"slipping", 3, 4, slip});
  std::ostringstream out;
  CHECK(selftest(setup, out) == ExitCode::check_failed);
  const std::string text = out.str();
  INFO(text);
  for (const SelftestPart& part : selftest_parts())
    CHECK_THAT(text, Contains("\nNOT sound: " + part.name + ": "));
  CHECK_THAT(text, Contains("kernels of products: slipping, 64 bits") && !Contains("\nsound\n"));
  CHECK_THAT(text, Contains("result files: ") && Contains("checksum"));
  CHECK_FALSE(folder.empty());
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("what cannot be compared counts as infinitely far apart") {
  Compared seen;
  seen.add(1e-16, "a");
  seen.add(std::nan(""), "b");
  seen.add(1, "c");
  CHECK(seen.count == 3);
  CHECK(std::isinf(seen.largest));
  CHECK(seen.where == "b");
}
