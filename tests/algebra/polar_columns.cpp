// The polar factor of nearly orthogonal columns against the 50-digit factorisation.

#include "algebra/polar_columns.hpp"

#include <catch2/catch.hpp>

#include "algebra/polar.hpp"
#include "core/real50.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

namespace {

/// Columns of the identity and so much of others, over so many decades of size.
Matrix columns(Index rows, Index n, double oblique, double decades) {
  Matrix x = Matrix::Identity(rows, n) + oblique * random_matrix(rows, n, "oblique");
  const Vector place = random_matrix(n, 1, "place").array().sin();
  for (Index j = 0; j < n; ++j) x.col(j) *= std::pow(10, decades * place(j) / 2);
  return x;
}

std::optional<Matrix> polar_of(const Matrix& x, const Vector& references = {}) {
  return polar_near_orthogonal<double>(x, references, Workers::serial());
}

template <class Real>
double distance(const std::optional<MatrixOf<Real>>& found, const Matrix& x) {
  REQUIRE(found.has_value());
  const MatrixOf<Real50> difference =
      found->template cast<Real50>() - polar_factor<Real50>(x.template cast<Real50>());
  return static_cast<double>(difference.cwiseAbs().maxCoeff());
}

}  // namespace

TEST_CASE("nearly orthogonal columns: the polar factor is right to rounding however wide their sizes") {
  for (const double oblique : {0.0, 1e-12, 1e-9, 1e-5, 1e-3, 6e-3}) {
    for (const double decades : {0.0, 12.0, 250.0}) {
      const Matrix x = columns(35, 34, oblique, decades);
      CAPTURE(oblique, decades);
      CHECK(distance(polar_of(x), x) < 1e-15);
    }
  }
  const Matrix x = columns(21, 20, 6e-3, 12);
  CHECK(distance(polar_near_orthogonal<Real50>(x.cast<Real50>(), {}, Workers::serial()), x) < 1e-47);
}

TEST_CASE("columns with several large entries each, and one row in all, beside many small ones") {
  Matrix x = columns(150, 60, 1e-11, 20);
  for (Index j = 0; j < 60; ++j) x(j + 70, j) = 0.7 * x(j, j);
  x.row(149) = 1e-4 * x.colwise().norm();
  CHECK(distance(polar_of(x), x) < 1e-15);
}

TEST_CASE("oblique columns, dependent ones and noise are not for series") {
  CHECK_FALSE(polar_of(random_matrix(30, 20, "any")));
  CHECK_FALSE(polar_of(columns(20, 30, 0, 0)));
  Matrix x = columns(31, 30, 1e-6, 3);
  Vector references = x.colwise().norm().transpose();
  CHECK(polar_of(x, references));
  references(4) *= 1e15;
  CHECK_FALSE(polar_of(x, references));
  x.col(3).setZero();
  CHECK_FALSE(polar_of(x));
  x(2, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(polar_of(x));
}

TEST_CASE("the tracker factorises a matrix that grows by nearly orthogonal columns once") {
  WarmStartPolar<double> tracker;
  for (const Index n : {30, 34, 35, 35, 50}) {
    const Matrix x = columns(n + 1, n, 1e-5, 10);
    CHECK((tracker(x) - polar_factor<double>(x)).cwiseAbs().maxCoeff() < 1e-13);
  }
  CHECK(tracker.from_scratch() == 1);
  CHECK(tracker.refined() == 0);
}
