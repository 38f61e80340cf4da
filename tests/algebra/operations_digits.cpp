// Digits, ranges and numbers that are none, in operations on every algebra.

#include <catch2/catch.hpp>

#include "algebra/plain_operations.hpp"
#include "core/real50.hpp"
#include "reference/random_matrix.hpp"
#include "reference/random_symmetric.hpp"
#include "reference/residual.hpp"

using namespace plain_operations;
using reference::random_columns;
using reference::random_matrix;
using reference::random_symmetric;
using reference::structure;

TEST_CASE("sums whose terms cancel are exact zeros, and others keep what is left") {
  // Columns of a residual sum to zero.
  const Matrix residual = reference::residual_like(40, 6, 1);
  CHECK(largest(aggregate(DenseMatrix{residual}, Side::columns, Aggregate::sum)) == 0);
  CHECK(aggregate(DenseMatrix{residual}, Aggregate::sum) == 0);
  CHECK(largest(aggregate(DenseMatrix{residual}, Side::rows, Aggregate::sum)) > 0.1);
  CHECK(aggregate(Vector{{1, -1, 1e-16}}, DenseMatrix{}, Side::rows, Aggregate::sum) == 0);
  CHECK(aggregate(Vector{{1, -1, 1e-13}}, DenseMatrix{}, Side::rows, Aggregate::sum) == 1e-13);
  CHECK(std::isinf(aggregate(Vector{{1e308, 1e308}}, DenseMatrix{}, Side::rows, Aggregate::sum)));
  const auto s = structure(1, {1e15, 3});
  SymmetricMatrix<double> x(s);
  ColumnMatrix columns(square_columns(s->count));
  for (Index j = 0; j < 2; ++j) {
    const double other = j == 0 ? 0.1 : 1e-9;
    columns.wrong(j) = other;
    columns.right(j) = -(s->total(Side::rows) - 1) * other;
    x.off_entries().col(j).setConstant(other);
    x.diagonal_block(j)(0, 0) = columns.right(j);
  }
  CHECK(largest(aggregate(x, Side::columns, Aggregate::sum)) == 0);
  CHECK(largest(aggregate(columns, Side::columns, Aggregate::sum)) == 0);
  CHECK(aggregate(x, Aggregate::sum) == 0);
  CHECK(aggregate(columns, Aggregate::sum) == 0);
}

TEST_CASE("gradients of 1e-200 and groups of 1e300 neither underflow nor overflow") {
  const auto s = structure(1, {1e300, 1e15, 1});
  const auto unit = random_symmetric(s, 11);
  const double tiny = 1e-200;
  const auto x = mapped(unit, [&](double e) { return e * tiny; });
  const ColumnMatrix c = random_columns(s, 12), d = mapped(c, [&](double e) { return e * tiny; });
  for (const Aggregate how : all_measures) {
    for (const Side along : {Side::rows, Side::columns}) {
      const Vector a = aggregate(unit, along, how), b = aggregate(x, along, how) / tiny;
      for (Index i = 0; i < a.size(); ++i) CHECK(b(i) == Approx(a(i)).epsilon(1e-14));
      CHECK(a.allFinite());
    }
    if (how != Aggregate::sum) CHECK(aggregate(x, how) / tiny == Approx(aggregate(unit, how)).epsilon(1e-14));
    const Vector a = aggregate(c, Side::columns, how), b = aggregate(d, Side::columns, how) / tiny;
    for (Index i = 0; i < a.size(); ++i) CHECK(b(i) == Approx(a(i)).epsilon(1e-14));
  }
  const Matrix full = random_matrix(5, 4, "tiny");
  for (const Side along : {Side::rows, Side::columns}) {
    const Vector a = aggregate(DenseMatrix{full}, along, Aggregate::euclidean);
    CHECK(largest(aggregate(DenseMatrix{full * tiny}, along, Aggregate::euclidean) / tiny - a) < 1e-14);
  }
  CHECK(spectral_norm(DenseMatrix{full * tiny}) / tiny == Approx(spectral_norm(DenseMatrix{full})));
  CHECK(inner(x, unit) / tiny == Approx(inner(unit, unit)).epsilon(1e-13));
}

TEST_CASE("a diagonal product has exact zeros beside the diagonal") {
  const auto s = structure(3, {2, 1, 1e9});
  const auto diagonal = [&](std::uint64_t seed) {
    const Vector v = aggregate(random_symmetric(s, seed), Side::rows, Aggregate::largest);
    SymmetricMatrix<double> z(s);
    for (Index c = 0; c < v.size(); ++c) z.diagonal_column(c)(c % 3) = v(c);
    return z;
  };
  const auto x = diagonal(13), y = diagonal(14);
  CHECK(largest(multiplied(x, y, serial).off_entries()) == 0);
}

TEST_CASE("functions of singular values keep every digit where columns are graded") {
  // Below and above the size from which singular bases are not made by rotations alone.
  for (const Index n : {12, 70}) {
    for (const double decades : {0.0, 5.0, 30.0}) {
      const Matrix x = reference::residual_like(n, decades, 15);
      const auto exact_x = reference::exact_columns<MatrixOf<Real50>>(x);
      const auto svd50 = ranked_svd<Real50>(exact_x);
      const auto svd = ranked_svd<double>(x);
      CAPTURE(n, decades);
      REQUIRE(svd.rank() == n - 1);
      REQUIRE(svd50.rank() == n - 1);
      for (Index i = 0; i < svd.rank(); ++i)
        CHECK(svd.sigma(i) == Approx(static_cast<double>(svd50.sigma(i))).epsilon(2e-14));
      for (const double p : {-0.5, 0.5, 1.0}) {
        const Matrix seen = mapped_singular_values<double>(
            svd, [&](double e) { return std::pow(e, p); }, serial);
        const MatrixOf<Real50> exact = mapped_singular_values<Real50>(
            svd50, [&](const Real50& e) { return Real50(pow(e, Real50(p))); }, serial);
        CAPTURE(p);
        // Relative to every column.
        for (Index l = 0; l < n; ++l) {
          const VectorOf<Real50> off = seen.col(l).cast<Real50>() - exact.col(l);
          CHECK(static_cast<double>(Real50(safe_norm(off) / safe_norm(exact.col(l)))) < 1e-13);
        }
      }
    }
  }
}

TEST_CASE("what is not finite reaches no decomposition") {
  Matrix full = random_matrix(4, 4, "holes");
  full(1, 2) = std::numeric_limits<double>::quiet_NaN();
  const DenseMatrix x{full};
  CHECK(spectral_function(x, root_of, serial).entries.array().isNaN().all());
  CHECK(leading_part(x, 2)->entries.array().isNaN().all());
  CHECK(std::isnan(nuclear_norm(x)));
  CHECK(std::isnan(spectral_norm(x)));
  CHECK(std::isnan(aggregate(x, Aggregate::largest)));
  CHECK(std::isnan(aggregate(x, Side::rows, Aggregate::largest)(1)));
  CHECK(aggregate(x, Side::rows, Aggregate::largest)(0) > 0);
  auto y = random_symmetric(structure(1, {2, 3}), 16);
  y.off_block(0, 1)(0, 0) = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(spectral_function(y, root_of, serial).diagonal_block(0)(0, 0)));
  CHECK(std::isnan(leading_part(y, 2)->diagonal_block(0)(0, 0)));
  CHECK(std::isnan(nuclear_norm(y)));
  CHECK(std::isnan(spectral_norm(y)));
  ColumnMatrix c = random_columns(structure(1, {2, 3}), 17);
  c.right(1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(nuclear_norm(c)));
  CHECK(std::isnan(aggregate(c, Aggregate::largest)));
  CHECK(std::isnan(spectral_function(c, root_of, serial).right(0)));
}
