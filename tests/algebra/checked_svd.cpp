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

TEST_CASE("rows that are orthogonal to rounding have their lengths as singular values, others do not") {
  const auto svd = checked_svd(reference::random_matrix(20, 20, "svd", 2));
  REQUIRE(svd);
  const Vector length = Vector::LinSpaced(20, 1, 3);
  Matrix r = length.asDiagonal() * svd->v.transpose();
  const auto sigma = checked_singular_values(r);
  REQUIRE(sigma);
  CHECK((*sigma - length.reverse()).cwiseAbs().maxCoeff() < 1e-14);
  r.row(1) += 1e-3 * r.row(0);
  const auto turned = checked_singular_values(r), exact = std::optional(checked_svd(r)->sigma);
  REQUIRE(turned);
  CHECK((*turned - *exact).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((*turned - *sigma).cwiseAbs().maxCoeff() > 1e-7);
}

}  // namespace rarefact
