#include "algebra/polar.hpp"

#include <catch2/catch.hpp>

#include "core/real50.hpp"
#include "reference/decompositions.hpp"
#include "reference/high_precision.hpp"
#include "reference/random_matrix.hpp"
#include "reference/residual.hpp"

using namespace rarefact;
using reference::largest;
using reference::Precise;
using reference::PreciseMatrix;
using reference::residual_like;

namespace {

double distance(const PreciseMatrix& exact, const Matrix& x) {
  return static_cast<double>((exact - x.cast<Precise>()).cwiseAbs().maxCoeff());
}

PreciseMatrix exact_residual_polar(const Matrix& x) {
  return reference::residual_polar(reference::exact_columns<PreciseMatrix>(x));
}

Matrix gaussian(Index rows, Index columns, std::uint64_t seed) {
  const RandomStream random(seed, "gaussian");
  Matrix x(rows, columns);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.normal(0, static_cast<std::uint64_t>(i));
  return x;
}

}  // namespace

TEST_CASE("the polar factor of a residual is right to 1e-12 however wide the spectrum of p") {
  for (const double decades : {0.0, 6.0, 12.0, 40.0}) {
    for (const Index n : {3, 12, 26}) {
      const Matrix x = residual_like(n, decades, 7);
      CAPTURE(decades, n);
      CHECK(distance(exact_residual_polar(x), polar_factor<double>(x)) < 1e-13);
    }
  }
}

TEST_CASE("a general matrix is off by no more than its own sensitivity eps σ_max/σ_min") {
  for (const double condition : {1e1, 1e4, 1e7}) {
    const Index n = 24;
    // U diag(σ) Vᵀ with σ from 1 to 1/condition: graded in no coordinate.
    const Matrix u = reference::orthonormal(gaussian(n, n, 1));
    const Matrix v = reference::orthonormal(gaussian(n, n, 2));
    Vector sigma(n);
    for (Index i = 0; i < n; ++i)
      sigma(i) = std::pow(condition, -static_cast<double>(i) / static_cast<double>(n - 1));
    const Matrix x = u * sigma.asDiagonal() * v.transpose();
    const PreciseMatrix exact = reference::newton_polar(x.cast<Precise>());
    CAPTURE(condition);
    CHECK(distance(exact, polar_factor<double>(x)) < 10 * std::numeric_limits<double>::epsilon() * condition);
  }
}

TEST_CASE("the rank decision sends the left null vector to zero and keeps the rarest class") {
  for (const double decades : {0.0, 12.0, 100.0}) {
    const Matrix x = residual_like(20, decades, 5);
    const SingularBasis<double> basis = singular_basis<double>(x);
    CHECK(basis.rank() == 19);
    const Matrix polar = polar_factor<double>(x);
    CHECK(largest(Vector::Ones(20).transpose() * polar) < 1e-14);
    // A partial isometry: PᵀP is a projector of trace 19.
    const Matrix projector = polar.transpose() * polar;
    CHECK(largest(projector * projector - projector) < 1e-14);
    CHECK(projector.trace() == Approx(19).epsilon(1e-13));
  }
}

TEST_CASE("rounding noise of a large dependent column does not displace a small independent one") {
  Matrix x = Matrix::Zero(4, 4);
  x.col(0) << 1, 1, 1, 0;
  x.col(1) = x.col(0) / 3.0;  // dependent, with noise of 1e-17
  x.col(2) << 1e-25, 0, 0, 0;
  x.col(3) << 0, 0, 0, 1e-30;
  CHECK(singular_basis<double>(x).rank() == 3);
}

TEST_CASE("null vectors are orthonormal and as small as the columns that cancel them are large") {
  const Index n = 12;
  for (const Index rank : {1, 3, 6, 9, 11}) {
    for (const double decade : {0.0, 1.0, 8.0}) {
      Matrix x = gaussian(n, rank, 13) * gaussian(rank, n, 14);
      for (Index j = 0; j < n; ++j) x.col(j) *= std::pow(10.0, -decade * static_cast<double>(j));
      const SingularBasis<double> basis = singular_basis<double>(x);
      CAPTURE(rank, decade);
      REQUIRE(basis.rank() == rank);
      CHECK(largest(basis.v.transpose() * basis.v - Matrix::Identity(n, n)) < 1e-14);
      // All other columns are smaller than that of the last pivot.
      const double smallest = x.col(rank - 1).norm();
      CHECK(largest(x * basis.v.rightCols(n - rank)) < 1e-13 * smallest);
    }
  }
}

TEST_CASE("zero and rank-one matrices have the polar factors their definition gives") {
  CHECK(largest(polar_factor<double>(Matrix::Zero(5, 3))) == 0);
  const Matrix u = gaussian(7, 1, 11), v = gaussian(4, 1, 12);
  const Matrix expected = u * v.transpose() / (u.norm() * v.norm());
  CHECK(largest(polar_factor<double>(u * v.transpose()) - expected) < 1e-15);
}

TEST_CASE("the polar factor does not change when the matrix is multiplied by a power of two") {
  const Matrix x = gaussian(30, 30, 21);
  CHECK(largest(polar_factor<double>(x * std::ldexp(1.0, 600)) - polar_factor<double>(x)) < 1e-14);
}

TEST_CASE("tall and wide matrices have orthonormal columns and rows") {
  const Matrix tall = polar_factor<double>(gaussian(40, 28, 31)),
               wide = polar_factor<double>(gaussian(28, 40, 32));
  CHECK(largest(tall.transpose() * tall - Matrix::Identity(28, 28)) < 1e-14);
  CHECK(largest(wide * wide.transpose() - Matrix::Identity(28, 28)) < 1e-14);
}

TEST_CASE("singular values keep their relative accuracy over 200 decades") {
  // For X = diag(p) - (1/K) 1 pᵀ with two classes the one nonzero singular value is √(p₁² + p₂²)/√2.
  for (const double rare : {1e-3, 1e-100, 1e-200}) {
    Matrix x(2, 2);
    x << 0.5, -0.5 * rare, -0.5, 0.5 * rare;
    const Vector sigma = nonzero_singular_values<double>(x);
    REQUIRE(sigma.size() == 1);
    CHECK(sigma(0) == Approx(std::sqrt(0.5 * (1 + rare * rare))).epsilon(1e-15));
  }
  const Matrix graded = residual_like(18, 150, 9);
  const Vector sigma = nonzero_singular_values<double>(graded);
  const VectorOf<Real50> exact =
      nonzero_singular_values<Real50>(reference::exact_columns<MatrixOf<Real50>>(graded));
  REQUIRE(sigma.size() == exact.size());
  for (Index i = 0; i < sigma.size(); ++i)
    CHECK(sigma(i) == Approx(static_cast<double>(exact(i))).epsilon(1e-13));
}

TEST_CASE("equal singular values are all there, and a small one beside them is not lost") {
  for (const auto& [rows, columns] : {std::pair{9, 6}, {6, 9}, {7, 7}}) {
    const Index rank = 4;
    const Matrix u = polar_factor<double>(gaussian(rows, rank + 1, 41)),
                 v = polar_factor<double>(gaussian(columns, rank + 1, 42));
    for (const double small : {0.0, 1e-9, 1e-4}) {
      CAPTURE(rows, columns, small);
      Vector values = Vector::Constant(rank + 1, 3e-5);
      values(rank) *= small;
      const Vector sigma = nonzero_singular_values<double>(u * values.asDiagonal() * v.transpose());
      REQUIRE(sigma.size() == (small > 0 ? rank + 1 : rank));
      for (Index i = 0; i < sigma.size(); ++i) CHECK(sigma(i) == Approx(values(i)).epsilon(1e-6));
    }
    Matrix graded = Matrix::Identity(rows, columns);
    graded(3, 3) = 1e-200;
    CHECK(nonzero_singular_values<double>(graded).size() == std::min(rows, columns));
  }
  // One whose vectors are spread over all columns is far below rounding in each of them.
  const Index n = 128;
  Vector values = Vector::Ones(n);
  values(n - 1) = 1e-12;
  const Vector sigma =
      nonzero_singular_values<double>(polar_factor<double>(gaussian(n, n, 43)) * values.asDiagonal() *
                                      polar_factor<double>(gaussian(n, n, 44)));
  REQUIRE(sigma.size() == n);
  CHECK(sigma(n - 1) == Approx(1e-12).epsilon(1e-2));
}

TEST_CASE("the tracker follows a moving residual as exactly as a fresh factorisation") {
  for (const double decades : {0.0, 5.0, 12.0, 24.0}) {
    const Index n = 40;
    Matrix x = residual_like(n, decades, 13);
    const Matrix drift = residual_like(n, decades, 14);
    WarmStartPolar<double> tracker;
    double worst = 0;
    for (int step = 0; step < 30; ++step) {
      x += 1e-3 * drift;
      worst = std::max(worst, largest(tracker(x) - polar_factor<double>(x)));
    }
    CAPTURE(decades);
    CHECK(worst < 2e-13);
    CHECK(tracker.refined() >= 25);
  }
}

TEST_CASE("the tracker rotates a basis that no longer diagonalises, and does not start again") {
  Matrix x = residual_like(12, 0, 29);
  const Matrix drift = residual_like(12, 0, 30);
  WarmStartPolar<double> tracker;
  for (int step = 0; step < 100; ++step) {
    x += 0.02 * drift;
    CHECK(largest(tracker(x) - polar_factor<double>(x)) < 1e-13);
  }
  CHECK(tracker.from_scratch() == 1);
}

TEST_CASE("the tracker notices an eigenvalue that has just changed its sign") {
  WarmStartPolar<double> tracker;
  tracker(Matrix{{2, 0}, {0, 1}});
  const Matrix crossed{{1, 1 - 1e-6 + 5e-9}, {1 + 1e-6 + 5e-9, 1}};
  CHECK(largest(tracker(crossed) - polar_factor<double>(crossed)) < 1e-6);
}

TEST_CASE("the tracker has no scale: tiny and huge matrices are followed as exactly as any") {
  const Index n = 40;
  const Matrix x = residual_like(n, 5, 27), next = x + 1e-4 * residual_like(n, 5, 28);
  for (const int exponent : {-900, -300, -126, 126, 450}) {
    const double scale = std::ldexp(1.0, exponent);
    WarmStartPolar<double> tracker;
    tracker(scale * x);
    CAPTURE(exponent);
    CHECK(largest(tracker(scale * next) - polar_factor<double>(next)) < 2e-13);
    CHECK(tracker.refined() == 1);
  }
}

TEST_CASE("the tracker notices flipped columns, a new range, a lost rank and a new shape") {
  const Index n = 30;
  WarmStartPolar<double> tracker;
  const Matrix x = residual_like(n, 6, 17);
  tracker(x);
  Matrix flipped = x;
  for (Index l = 0; l < n; l += 3) flipped.col(l) *= -1;
  CHECK(largest(tracker(flipped) - polar_factor<double>(flipped)) < 1e-13);
  CHECK(largest(tracker(-x) - polar_factor<double>(-x)) < 1e-13);

  Matrix tilted = x;  // the left null vector is no longer 1
  tilted.row(0) *= 1.5;
  CHECK(largest(tracker(tilted) - polar_factor<double>(tilted)) < 1e-13);

  Matrix thinner = x;
  thinner.col(4).setZero();
  CHECK(largest(tracker(thinner) - polar_factor<double>(thinner)) < 1e-13);
  const Matrix other = gaussian(12, 8, 3);
  CHECK(largest(tracker(other) - polar_factor<double>(other)) < 1e-14);
  CHECK(largest(tracker(Matrix::Zero(12, 8))) == 0);
}

TEST_CASE("the tracker follows null spaces whose rotations have a lower rank than they might") {
  const auto follows = [](int calls, double digits, const auto& matrix_at) {
    using Real = typename std::decay_t<decltype(matrix_at(0))>::Scalar;
    WarmStartPolar<Real> tracker;
    for (int k = 0; k < calls; ++k) {
      const MatrixOf<Real> x = matrix_at(k);
      INFO(x.rows() << " x " << x.cols() << ", call " << k);
      CHECK((tracker(x) - polar_factor<Real>(x)).cwiseAbs().maxCoeff() < digits);
    }
  };
  // Rows of rank one with up to four null vectors, padded to four rows.
  const auto row = [](int k, Index columns) {
    Matrix x(1, columns);
    for (Index j = 0; j < columns; ++j)
      x(0, j) = 1 + 0.1 * std::sin(1 + 3.0 * k + 5.0 * static_cast<double>(j * j));
    return x;
  };
  for (const Index columns : {2, 3, 4, 5}) follows(8, 1e-15, [&](int k) { return row(k, columns); });
  follows(4, 1e-48, [&](int k) { return MatrixOf<Real50>(row(k, 3).cast<Real50>()); });
  // Both null vectors rotate towards the same row.
  follows(8, 1e-14, [](int k) {
    Matrix x = Matrix::Zero(4, 6);
    x.leftCols(4).setIdentity();
    x.col(4).setConstant(0.1 * k);
    x.col(5).setConstant(0.07 * (k % 3));
    return x;
  });
}

TEST_CASE("the tracker notices that a symmetric matrix is no longer positive definite") {
  Matrix before(2, 2), after(2, 2), swap(2, 2);
  before << 2, 1, 1, 2;
  after << 1, 2, 2, 1;  // eigenvalues 3 and -1
  swap << 0, 1, 1, 0;
  WarmStartPolar<double> tracker;
  CHECK(largest(tracker(before) - Matrix::Identity(2, 2)) < 1e-15);
  CHECK(largest(tracker(Matrix::Identity(2, 2)) - Matrix::Identity(2, 2)) < 1e-15);
  CHECK(largest(tracker(after) - swap) < 1e-15);
}

TEST_CASE("the tracker stays orthonormal over a thousand steps") {
  const Index n = 26;
  WarmStartPolar<double> tracker;
  Matrix x = residual_like(n, 3, 19);
  const Matrix there = residual_like(n, 3, 20);
  for (int step = 0; step < 1000; ++step) {
    const double phase = 0.02 * step;
    tracker(x + (0.2 * std::sin(phase)) * there);
  }
  const Matrix last = x + 0.2 * there;
  CHECK(largest(tracker(last) - polar_factor<double>(last)) < 1e-13);
  CHECK(tracker.refined() > 900);
}

TEST_CASE("the tracker gives the same bytes for every number of threads") {
  const Index n = 230;
  const Matrix x = residual_like(n, 4, 23), next = x + 1e-3 * residual_like(n, 4, 24);
  const Workers one(1), two(2);
  WarmStartPolar<double> a, b;
  a(x, {}, one);
  b(x, {}, two);
  CHECK((a(next, {}, one).array() == b(next, {}, two).array()).all());
}
