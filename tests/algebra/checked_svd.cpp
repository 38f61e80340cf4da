#include <catch2/catch.hpp>

#include "algebra/decompositions.hpp"
#include "reference/random_matrix.hpp"

namespace rarefact {

TEST_CASE("a sound decomposition is accepted at any scale") {
  const Matrix r = reference::random_matrix(20, 20, "svd", 1);
  for (const double scale : {1e-100, 1.0, 1e100}) {
    const auto svd = checked_svd(scale * r);
    REQUIRE(svd);
    const Matrix again = svd->u * svd->sigma.asDiagonal() * svd->v.transpose();
    CHECK((again / scale - r).cwiseAbs().maxCoeff() < 1e-13);
    const auto sigma = checked_singular_values(scale * r);
    REQUIRE(sigma);
    CHECK((*sigma - svd->sigma).cwiseAbs().maxCoeff() < 1e-13 * scale);
  }
}

}  // namespace rarefact
