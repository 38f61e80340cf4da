#include "algebra/polar_newton.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "algebra/dense_matrix.hpp"
#include "reference/decompositions.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

namespace {

Matrix orthonormal(Index rows, Index columns, std::uint64_t step) {
  return reference::orthonormal(random_matrix(rows, columns, "newton", step));
}

/// A = U diag(σ) Vᵀ with σ from 1 to 1/condition, and its polar factor U Vᵀ.
struct Known {
  Matrix a, polar;
};
Known known(Index rows, Index columns, double condition, bool clustered) {
  const Matrix u = orthonormal(rows, columns, 1), v = orthonormal(columns, columns, 2);
  Vector sigma(columns);
  for (Index i = 0; i < columns; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(columns - 1);
    sigma(i) = std::pow(condition, clustered ? (at < 0.5 ? 0.0 : -1.0) : -at);
  }
  return {3e20 * u * sigma.asDiagonal() * v.transpose(), u * v.transpose()};
}

}  // namespace

TEST_CASE("Newton's iteration gives the polar factor within the uncertainty of the problem") {
  const Workers workers(2);
  for (const bool clustered : {false, true}) {
    for (const double condition : {1.0, 1.5, 10.0, 1e3, 1e5, 1e7, 1e9, 1e11}) {
      for (const auto& [rows, columns] : {std::pair<Index, Index>{64, 64}, {64, 63}, {66, 65}, {70, 64}}) {
        const Known x = known(rows, columns, condition, clustered);
        const auto polar = newton_polar(x.a, workers);
        INFO("condition " << condition << (clustered ? ", two clusters, " : ", ") << rows << " rows");
        REQUIRE(polar);
        // The construction of A alone is off by a few eps sqrt(n).
        const double uncertainty = 10 * 2.2e-16 * condition + 5e-14;
        CHECK((*polar - x.polar).norm() < uncertainty);
        CHECK((polar->transpose() * *polar - Matrix::Identity(columns, columns)).norm() < 2e-14);
      }
    }
  }
}

TEST_CASE("Newton's iteration has the same bytes for any number of threads") {
  const Known x = known(200, 150, 1e6, false);
  CHECK(*newton_polar(x.a, Workers(2)) == *newton_polar(x.a, Workers::serial()));
}

TEST_CASE("Newton's iteration refuses what is not of full rank to rounding") {
  const Known x = known(64, 64, 10, false);
  Matrix dependent = x.a;
  dependent.col(40) = dependent.col(3) - 2 * dependent.col(17);
  CHECK_FALSE(newton_polar(dependent, Workers::serial()));
  CHECK_FALSE(newton_polar(Matrix::Zero(40, 40), Workers::serial()));
  CHECK_FALSE(newton_polar(known(64, 64, 1e15, false).a, Workers::serial()));
}

TEST_CASE("Newton's iteration finds one null vector where it may") {
  const Matrix u = orthonormal(64, 63, 1), v = orthonormal(64, 63, 2);
  Vector sigma(63);
  for (Index i = 0; i < 63; ++i) sigma(i) = std::pow(1e3, -static_cast<double>(i) / 62);
  const Matrix polar = u * v.transpose(), x = u * sigma.asDiagonal() * v.transpose();
  CHECK_FALSE(newton_polar(x, Workers::serial()));
  CHECK_FALSE(newton_polar(x, Workers::serial(), {.find_null = true, .most = 62}));
  const auto found = newton_polar(x, Workers::serial(), {.find_null = true});
  REQUIRE(found);
  CHECK((*found - polar).norm() < 1e-11);
  // A column that is small as a whole keeps its direction.
  Matrix graded = orthonormal(64, 64, 3);
  graded.col(5) *= 1e-15;
  CHECK_FALSE(newton_polar(graded, Workers::serial(), {.find_null = true}));
  for (const double factor : {1e13, 1e14, 1e15, 1e16}) {
    Matrix wide = random_matrix(16, 20, "newton", 6);
    wide.leftCols(15) *= factor;
    const auto kept = newton_polar(wide, Workers::serial(), {.find_null = true});
    CAPTURE(factor);
    CHECK((!kept || std::round(kept->squaredNorm()) == 16));
  }
  // A repetition has the rank of the run, also where rounding has filled the missing dimension.
  const Matrix filled = x + 1e-15 * random_matrix(64, 64, "newton", 5);
  const auto at_most = newton_polar(filled, Workers::serial(), {.find_null = true, .most = 63});
  REQUIRE(at_most);
  CHECK((*at_most - polar).norm() < 1e-8);
}

TEST_CASE("msgn of mixed columns sends known and unknown null vectors to zero") {
  const Index n = 60;
  const Vector u = random_matrix(n, 1, "newton", 3).col(0).normalized();
  Matrix x = random_matrix(n, n + 20, "newton", 4);
  x -= u * (u.transpose() * x);
  for (const bool told : {true, false}) {
    for (const Index columns : {n - 5, n, n + 20}) {
      const Matrix input = x.leftCols(columns);
      PolarHint hint;
      hint.mixed_columns = true;
      if (told) hint.left_null = std::make_shared<const Vector>(u);
      DensePolar polar;
      const Matrix d = polar({input}, Workers::serial(), hint).entries;
      const Matrix expected = reference::svd(input).polar(std::min(n - 1, columns));
      INFO("told " << told << ", columns " << columns);
      // Square Gaussian matrices of this size have conditions of a few hundred.
      CHECK((d - expected).norm() < 1e-11);
      CHECK((u.transpose() * d).norm() < 1e-12);
    }
  }
}
