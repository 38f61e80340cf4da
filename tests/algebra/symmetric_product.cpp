#include "algebra/symmetric_product.hpp"

#include <catch2/catch.hpp>

#include "algebra/product.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

TEST_CASE("a gram matrix is AᵀA, symmetric to the last bit, for any number of threads") {
  for (const Index n : {1, 7, 33, 130, 300}) {
    const Matrix a = random_matrix(n + 20, n, "gram", 1);
    const Matrix g = gram(view_of(a), Workers(2));
    // Sums of n + 20 products of numbers of order one.
    CHECK((g - a.transpose() * a).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(g == g.transpose());
    CHECK(g == gram(view_of(a), Workers::serial()));
  }
}
