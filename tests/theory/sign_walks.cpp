#include <catch2/catch.hpp>
#include <cmath>

#include "theory/margin_paths.hpp"

using namespace rarefact;

TEST_CASE("the sign walk reaches any step at once") {
  CHECK(sign_walk(1, INFINITY, std::int64_t{1} << 60) == std::ldexp(1.0, 60));
  CHECK(sign_walk(1, 9.5, std::int64_t{1} << 60) == 10);
  CHECK(sign_walk(1, 9.5, (std::int64_t{1} << 60) + 1) == 9);
  CHECK(sign_walk(1e-300, 9.5, 1000) == 1e-297);
  CHECK(sign_walk(1, -2.5, 1) == -1);
  CHECK(sign_walk(.3, -2.05, 5) == -1.5);
  CHECK(sign_walk(1, -2.5, 3) == -3);
  CHECK(sign_walk(1, -2.5, 4) == -2);
}

TEST_CASE("the sign walk turns where its own products pass the optimum, to the last digit") {
  for (const double stride : {0.1, 0.3, 0.7, 1 / 3.0, 4.9e-3}) {
    for (int k = 1; k <= 2000; ++k) {
      for (const double optimum :
           {stride * k, std::nextafter(stride * k, 1e9), std::nextafter(stride * k, 0)}) {
        int top = k - 1;
        while (stride * top < optimum) ++top;
        const bool rests = stride * top == optimum;
        REQUIRE(sign_walk(stride, optimum, top) == stride * top);
        REQUIRE(sign_walk(stride, optimum, top + 1) == stride * (rests ? top : top - 1));
        REQUIRE(sign_walk(stride, optimum, top + 2) == stride * top);
      }
    }
  }
}
