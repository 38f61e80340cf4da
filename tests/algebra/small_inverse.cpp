// Inverses of small matrices beside those of LU factors.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "algebra/lu.hpp"
#include "core/random.hpp"

using namespace rarefact;
namespace {

TEST_CASE(
    "the inverse of a small matrix is one, whatever its columns' sizes, and there is none of a singular one") {
  for (Index n = 1; n <= largest_small_inverse; n += n < 10 ? 1 : 9) {
    Matrix x(n, n);
    RandomStream(3, "small inverse").fill_normal(0, {x.data(), static_cast<std::size_t>(x.size())});
    const auto inverse = small_inverse_transposed(x);
    REQUIRE(inverse);
    CHECK((x.transpose() * *inverse - Matrix::Identity(n, n)).norm() < 1e-10);
    // X D has the inverse D⁻¹ X⁻¹, and no more digits are lost.
    Vector sizes(n);
    for (Index j = 0; j < n; ++j) sizes(j) = std::pow(10.0, -3.0 * static_cast<double>(j % 5));
    const auto graded = small_inverse_transposed(x * sizes.asDiagonal());
    REQUIRE(graded);
    CHECK((*graded * sizes.asDiagonal() - *inverse).norm() < 1e-10 * inverse->norm());
    x.col(n / 2).setZero();
    CHECK_FALSE(small_inverse_transposed(x));
    x(0, n / 2) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(small_inverse_transposed(x));
  }
}

}  // namespace
