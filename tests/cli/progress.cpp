#include "cli/progress.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace rarefact;
using Catch::Contains;

namespace {

using std::chrono::milliseconds;

/// What a printer says of two points, one of which takes a tenth of a second.
std::string said_of_long_points(const ProgressStyle& style) {
  std::ostringstream err;
  {
    ProgressPrinter printer(err, style);
    printer.begin_points(3, 1);
    printer.point_begun();
    printer.point_begun();
    std::this_thread::sleep_for(milliseconds(100));
    printer.points(2);
    std::this_thread::sleep_for(milliseconds(100));
  }
  return err.str();
}

}  // namespace

TEST_CASE("while points are long, a line says from time to time how many are running") {
  for (const ProgressStyle& style : {ProgressStyle{.pause = milliseconds(1), .writes_over = true},
                                     ProgressStyle{.pause = milliseconds(10), .tells_ends = true},
                                     ProgressStyle{.pause = milliseconds(10)}}) {
    const std::string text = said_of_long_points(style);
    INFO(text);
    CHECK_THAT(text, Contains("1 of 3 points, 2 running, 0 s so far") &&
                         Contains("2 of 3 points, 1 running, ") && Contains(" a second, "));
    const std::string between = style.writes_over ? "\r" : "so far\n1 of 3";
    CHECK_THAT(text, Contains(between));
  }
  CHECK(said_of_long_points({}).empty());
}

TEST_CASE("a long step is told of again and again, and a short run not at all") {
  std::ostringstream err;
  {
    ProgressPrinter printer(err, {.pause = milliseconds(10)});
    printer("muon", 3, 10);
    std::this_thread::sleep_for(milliseconds(100));
  }
  CHECK_THAT(err.str(), Contains("muon: step 3 of 10\nmuon: step 3 of 10\n"));
  std::ostringstream quiet;
  {
    ProgressPrinter printer(quiet, progress_style("auto", quiet));
    printer("muon", 3, 10);
    printer("muon", 10, 10);
  }
  CHECK(quiet.str().empty());
}

TEST_CASE("points that another process does are not counted as running") {
  std::ostringstream err;
  ProgressPrinter printer(err, {.pause = milliseconds(1000), .tells_ends = true, .events = true});
  printer.begin_points(2, 0);
  printer.points(2);
  CHECK_THAT(err.str(), Contains(R"("done":2,"running":0,)"));
}
