#include "core/student_t.hpp"

#include <catch2/catch.hpp>

namespace rarefact {

TEST_CASE("Student's t of a level: closed forms of one and two degrees of freedom, the normal limit") {
  CHECK(student_t(1, 0.5) == Approx(1).epsilon(1e-14));                      // tan(pi level/2)
  CHECK(student_t(2, 0.95) == Approx(4.302652729749463).epsilon(1e-14));     // level sqrt(2/(1 - level^2))
  CHECK(student_t(1e12, 0.95) == Approx(1.959963984540054).epsilon(1e-10));  // normal
}

}  // namespace rarefact
