#include "model/random_rounding.hpp"

#include <catch2/catch.hpp>

using namespace rarefact;

TEST_CASE("weights and directions move by a unit of their last place, and zeros stay") {
  const RandomRounding rounding(1, 7);
  DenseMatrix w{Matrix::Constant(3, 3, 1e-20)};
  w.entries(1, 2) = 0;
  DenseMatrix d = w;
  rounding.weight(w);
  rounding.direction(d);
  for (const DenseMatrix& moved : {w, d}) {
    CHECK(moved.entries(1, 2) == 0);
    for (const Index i : {0, 2}) {
      CHECK(moved.entries(i, i) != 1e-20);
      CHECK(moved.entries(i, i) == Approx(1e-20).epsilon(1e-15));
    }
  }
}
