#include "algebra/bidiagonal_values.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "algebra/eight_kernels.hpp"
#include "reference/decompositions.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;

namespace {

Matrix written_out(const Bidiagonal& b) {
  Matrix whole = b.diagonal.asDiagonal();
  for (Index i = 0; i < b.above.size(); ++i) whole(i, i + 1) = b.above(i);
  return whole;
}

}  // namespace

TEST_CASE("a matrix and its bidiagonal form have the singular values of a Jacobi decomposition") {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 2}, {7, 3}, {24, 24}, {60, 60}}) {
    CAPTURE(rows, columns);
    const Matrix a = reference::random_matrix(rows, columns, "bidiagonal", 1);
    const Vector exact = reference::svd(a).values;
    const Bidiagonal b = bidiagonal(a);
    const Vector same = reference::svd(written_out(b)).values;
    CHECK((same - exact).cwiseAbs().maxCoeff() < 1e-13 * exact(0));
    const auto sigma = singular_values(b);
    REQUIRE(sigma);
    CHECK((*sigma - exact).cwiseAbs().maxCoeff() < 1e-13 * exact(0));
  }
}

TEST_CASE("every kernel gives the bytes of the others, whatever the number of rows and columns") {
  for (Index columns = 1; columns < 40; columns += 3) {
    const Matrix a = reference::random_matrix(columns + columns % 4 * 5, columns, "bidiagonal", 2);
    const Bidiagonal first = bidiagonal(a, all_eight_kernels().front());
    for (const EightKernels& kernels : all_eight_kernels()) {
      CAPTURE(columns);
      const Bidiagonal b = bidiagonal(a, kernels);
      CHECK(b.diagonal == first.diagonal);
      CHECK(b.above == first.above);
    }
    const Vector exact = reference::svd(a).values;
    CHECK((reference::svd(written_out(first)).values - exact).cwiseAbs().maxCoeff() < 1e-13 * exact(0));
  }
}

// The product of the singular values is that of the diagonal, and of the lengths for columns that are orthogonal.
TEST_CASE("a bidiagonal form keeps the digits of short columns if the longest come first") {
  const Index n = 21;
  Matrix a = reference::svd(reference::random_matrix(n, n, "bidiagonal", 3)).v;
  double logarithm = 0;
  for (Index j = 0; j < n; ++j) {
    a.col(j) *= std::pow(10., -4. * static_cast<double>(j));
    logarithm += -4. * static_cast<double>(j) * std::log(10.);
  }
  const Bidiagonal b = bidiagonal(a);
  CHECK(std::abs(b.diagonal.array().abs().log().sum() - logarithm) < 1e-12);
}

// The product of all singular values is that of the diagonal: an error of the least, whatever its size, shows in it.
TEST_CASE("singular values over a hundred decades keep the digits of the least") {
  for (const bool falling : {true, false}) {
    CAPTURE(falling);
    const Index n = 20;
    Bidiagonal b{Vector(n), Vector(n - 1)};
    for (Index i = 0; i < n; ++i)
      b.diagonal(i) = std::pow(10., -5. * static_cast<double>(falling ? i : n - 1 - i));
    for (Index i = 0; i + 1 < n; ++i) b.above(i) = 0.7 * b.diagonal(i);
    const auto sigma = singular_values(b);
    REQUIRE(sigma);
    double ratio = 0;
    for (Index i = 0; i < n; ++i) ratio += std::log((*sigma)(i)) - std::log(std::abs(b.diagonal(i)));
    CHECK(std::abs(ratio) < 1e-12);
    const double squares = b.diagonal.squaredNorm() + b.above.squaredNorm();
    CHECK(std::abs(sigma->squaredNorm() / squares - 1) < 1e-14);
  }
}

TEST_CASE("a zero on the diagonal is a singular value of zero, and what is no number has none") {
  Bidiagonal b{Vector::Constant(5, 1.), Vector::Constant(4, 1.)};
  b.diagonal(2) = 0;
  const Vector exact = reference::svd(written_out(b)).values;
  const auto sigma = singular_values(b);
  REQUIRE(sigma);
  CHECK((*sigma)(4) == 0);
  CHECK((*sigma - exact).cwiseAbs().maxCoeff() < 1e-14);
  b.above(1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(singular_values(b));
}

TEST_CASE("singular values are right at any scale") {
  const Matrix r = reference::random_matrix(20, 20, "svd", 1);
  for (const double scale : {1e-100, 1.0, 1e100}) {
    const auto sigma = checked_singular_values(scale * r);
    REQUIRE(sigma);
    CHECK((*sigma / scale - reference::svd(r).values).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("rows that are orthogonal to rounding have their lengths as singular values, others do not") {
  const Vector length = Vector::LinSpaced(20, 1, 3);
  Matrix r = length.asDiagonal() * reference::svd(reference::random_matrix(20, 20, "svd", 2)).v.transpose();
  const auto sigma = checked_singular_values(r);
  REQUIRE(sigma);
  CHECK((*sigma - length.reverse()).cwiseAbs().maxCoeff() < 1e-14);
  r.row(1) += 1e-3 * r.row(0);
  const auto turned = checked_singular_values(r);
  REQUIRE(turned);
  CHECK((*turned - reference::svd(r).values).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((*turned - *sigma).cwiseAbs().maxCoeff() > 1e-7);
}
