#include "algebra/cholesky.hpp"

#include <catch2/catch.hpp>

#include "algebra/product.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

TEST_CASE("a gram matrix is AᵀA, symmetric to the last bit, for any number of threads") {
  for (const Index n : {1, 7, 33, 130, 300}) {
    const Matrix a = random_matrix(n + 20, n, "cholesky", 1);
    const Matrix g = gram(view_of(a), Workers(2));
    // Sums of n + 20 products of numbers of order one.
    CHECK((g - a.transpose() * a).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(g == g.transpose());
    CHECK(g == gram(view_of(a), Workers::serial()));
  }
}

TEST_CASE("an inverse Cholesky factor turns its matrix into the identity, for any number of threads") {
  for (const Index n : {1, 31, 32, 65, 200, 800}) {
    const Matrix a = random_matrix(n + 50, n, "cholesky", 2);
    const Matrix z = a.transpose() * a + Matrix::Identity(n, n);
    const auto inverse = inverse_cholesky(z, Workers(2));
    REQUIRE(inverse);
    CHECK(inverse->isLowerTriangular(0));
    // The condition of these z is below 1e4.
    CHECK((*inverse * z * inverse->transpose() - Matrix::Identity(n, n)).norm() < 1e-10);
    CHECK(*inverse == *inverse_cholesky(z, Workers::serial()));
  }
}

TEST_CASE("an indefinite matrix has no Cholesky factor") {
  for (const Index at : {0, 40, 99}) {
    Matrix z = Matrix::Identity(100, 100);
    z(at, at) = -1;
    CHECK_FALSE(inverse_cholesky(z, Workers::serial()));
  }
}
