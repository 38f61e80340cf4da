#include "core/student_t.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

using namespace rarefact;

TEST_CASE("Student's t of a level: closed forms of one and two degrees of freedom, the normal limit") {
  CHECK(student_t(1, 0.5) == Approx(1).epsilon(1e-14));                      // tan(pi level/2)
  CHECK(student_t(2, 0.95) == Approx(4.302652729749463).epsilon(1e-14));     // level sqrt(2/(1 - level^2))
  CHECK(student_t(1e12, 0.95) == Approx(1.959963984540054).epsilon(1e-10));  // normal
}

TEST_CASE("the interval of a mean holds numbers whose squares no double holds; one number says nothing") {
  for (const double unit : {1.0, 1e-200, 1e200}) {
    const MeanInterval found = mean_interval({1 * unit, 2 * unit, 3 * unit});
    CHECK(found.mean / unit == Approx(2).epsilon(1e-15));
    CHECK(found.half_width / unit == Approx(4.302652729749463 / std::sqrt(3.0)).epsilon(1e-14));
  }
  CHECK(mean_interval({0, 0}).half_width == 0);
  for (const std::vector<double>& numbers : {std::vector<double>{NAN, NAN}, {0, NAN}})
    CHECK(std::isnan(mean_interval(numbers).mean));
  CHECK(std::isinf(mean_interval({7}).half_width));
  CHECK_THROWS_AS(mean_interval({}), std::invalid_argument);
}
