#include "cli/job.hpp"

#include <catch2/catch.hpp>

using namespace rarefact;

// What is refused is in transcripts/stored.txt.
TEST_CASE("times are whole numbers with units, the larger ones first") {
  for (const auto& [text, seconds] :
       std::vector<std::pair<const char*, int>>{{"3h50m", 3 * 3600 + 50 * 60},
                                                {"90s", 90},
                                                {"2d", 2 * 86400},
                                                {"45m", 45 * 60},
                                                {"1d2h3m4s", 86400 + 7200 + 184},
                                                {"0h1s", 1}})
    CHECK(parse_duration(text)->count() == seconds);
}
