#include "algebra/ranked_qr.hpp"

#include <catch2/catch.hpp>

#include "algebra/singular_values.hpp"

using namespace rarefact;

TEST_CASE("a column that is dependent only up to its rounding may hide smaller ones that are kept") {
  Matrix x(3, 3);
  x << 1 + 1e-15, 2, 0, 2, 4, 0, 3, 6, 1e-40;
  const auto decide = [](const Matrix& m) { return rank_decision<double>(m, column_norms(m)); };
  CHECK(decide(x).rank == 2);
  CHECK(decide(x).dropped == 1);
  x(2, 2) = 1;
  CHECK(decide(x).dropped == 0);
  CHECK_FALSE(decide(x).general);  // two of the three columns are parallel
  x.col(0) = x.col(1) + x.col(2);
  CHECK(decide(x).rank == 2);
  CHECK(decide(x).general);
  CHECK(decide(Matrix::Identity(3, 3)).general);
}
