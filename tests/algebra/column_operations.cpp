// Operations on column matrices.

#include <catch2/catch.hpp>

#include "algebra/plain_operations.hpp"
#include "algebra/polar_variants.hpp"
#include "reference/expand.hpp"
#include "reference/random_symmetric.hpp"

using namespace plain_operations;
using reference::expand;
using reference::random_columns;
using reference::structure;

TEST_CASE("operations on column matrices are those of the matrix written out") {
  const auto s = structure(1, {1, 3, 2});
  const ColumnMatrix x = random_columns(s, 8);
  ColumnMatrix some = x;  // of which the middle column is zero
  some.stored_groups = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 2});
  some.right = Vector{{x.right(0), x.right(2)}};
  some.wrong = Vector{{x.wrong(0), x.wrong(2)}};
  ColumnMatrix d(square_columns(s->count));
  d.right = random_columns(s, 9).right;
  for (const ColumnMatrix& y : {x, some, d}) {
    const Matrix full = expand(with_all_columns(y));
    for (const Aggregate how : all_measures) {
      const Vector seen = expand(aggregate(y, Side::columns, how), *s, Side::columns);
      for (Index i = 0; i < full.cols(); ++i)
        CHECK(seen(i) == Approx(plain(full.col(i), how)).epsilon(1e-14).margin(1e-14));
      CHECK(aggregate(y, how) == Approx(plain(full, how)).epsilon(1e-14).margin(1e-14));
      const Vector v = d.right;
      CHECK(aggregate(v, y, Side::columns, how) ==
            Approx(plain(expand(v, *s, Side::columns), how)).epsilon(1e-14));
    }
    CHECK(inner(y, x) == Approx(full.cwiseProduct(expand(x)).sum()).epsilon(1e-14));
    CHECK(trace(y) == Approx(full.trace()).epsilon(1e-14));
    CHECK(largest(expand(multiplied(y, d, serial)) - full * expand(d)) < 1e-14);
    CHECK(nuclear_norm(y) == Approx(nuclear_norm(DenseMatrix{full})).epsilon(1e-13));
    CHECK(spectral_norm(y) == Approx(spectral_norm(DenseMatrix{full})).epsilon(1e-13));
  }
  const DenseMatrix full{expand(d)};
  CHECK(largest(expand(transposed(d)) - full.entries) == 0);
  CHECK(largest(expand(spectral_function(d, root_of, serial)) -
                spectral_function(full, root_of, serial).entries) < 1e-14);
  const PolarPolynomial schulz{{newton_schulz_step(), newton_schulz_step()}};
  for (const int exponent : {0, -3}) {
    CHECK(largest(expand(polar_polynomial(schulz, d, exponent, serial)) -
                  polar_polynomial(schulz, full, exponent, serial).entries) < 1e-14);
    CHECK(largest(expand(smoothed_polar(d, 0.3, exponent, serial)) -
                  smoothed_polar(full, 0.3, exponent, serial).entries) < 1e-14);
  }
  CHECK_THROWS_AS(transposed(x), std::logic_error);
  CHECK_THROWS_AS(multiplied(d, x, serial), std::logic_error);
  CHECK_THROWS_AS(spectral_function(x, root_of, serial), std::logic_error);
  CHECK_THROWS_AS(aggregate(x, Side::rows, Aggregate::sum), std::logic_error);
}
