// Column matrices with numbers in the middle against the matrix written out.

#include <catch2/catch.hpp>

#include "algebra/plain_operations.hpp"
#include "core/random.hpp"

using namespace plain_operations;

namespace {

constexpr double answers = 12;

/// 12 answers; the third column has no others, the last no middle.
SharedColumns structure() {
  ColumnStructure s{.count = {2, 1, 3, 1}, .answers = answers};
  s.right_times = {1, 2, 5, 3};
  s.shared_begin = {0, 2, 3, 5, 5};
  s.shared_times = {4, 1, 2, 3, 4};
  s.wrong_times = {6, 8, 0, 9};
  return std::make_shared<const ColumnStructure>(s);
}

ColumnMatrix random_matrix(std::uint64_t which) {
  const RandomStream random(which, "columns with middles");
  ColumnMatrix x(structure());
  std::uint64_t at = 0;
  for (Vector* part : {&x.right, &x.wrong, &x.shared})
    for (double& entry : *part) entry = random.normal(0, at++);
  x.wrong(2) = 0;
  return x;
}

/// Answers in the order own, middle, other.
Matrix expand(const ColumnMatrix& x) {
  const ColumnStructure& s = *x.structure;
  Matrix full(static_cast<Index>(answers), static_cast<Index>(s.columns()));
  Index l = 0;
  for (std::size_t j = 0; j < s.count.size(); ++j) {
    for (double n = 0; n < s.count[j]; ++n, ++l) {
      Index k = 0;
      const auto put = [&](double value, double times) {
        for (; times > 0; --times) full(k++, l) = value;
      };
      put(x.right(Index(j)), s.right_times[j]);
      for (Index i = s.shared_begin[j]; i < s.shared_begin[j + 1]; ++i) put(x.shared(i), s.shared_times[i]);
      put(x.wrong(Index(j)), s.wrong_times[j]);
      REQUIRE(k == full.rows());
    }
  }
  return full;
}

}  // namespace

TEST_CASE("column matrices with numbers in the middle are the matrix written out") {
  const ColumnMatrix x = random_matrix(1), y = random_matrix(2);
  const Matrix full = expand(x), other = expand(y);
  ColumnMatrix z = x;
  combine(z, 0.25, -3, y);
  CHECK(largest(expand(z) - (0.25 * full - 3 * other)) < 1e-15);
  CHECK(largest(expand(mapped(x, [](double e) { return e * e * e; })) - Matrix(full.array().cube())) < 1e-15);
  z = x;
  map_in_place(z, y, [](double a, double b) { return a * b - b; });
  CHECK(largest(expand(z) - Matrix(full.array() * other.array() - other.array())) < 1e-15);
  CHECK(frobenius_norm(x) == Approx(full.norm()).epsilon(1e-15));
  CHECK(inner(x, y) == Approx(full.cwiseProduct(other).sum()).epsilon(1e-14));
  const Index first[] = {0, 2, 3, 6};
  for (const Aggregate how : all_measures) {
    CHECK(aggregate(x, how) == Approx(plain(full, how)).epsilon(1e-14));
    const Vector columns = aggregate(x, Side::columns, how);
    for (Index j = 0; j < 4; ++j) CHECK(columns(j) == Approx(plain(full.col(first[j]), how)).epsilon(1e-14));
  }
  ColumnMatrix d(square_columns(x.structure->count));
  d.right << 2, -1, 0.5, 3;
  const Vector stretched{{2, 2, -1, 0.5, 0.5, 0.5, 3}};
  CHECK(largest(expand(multiplied(x, d, Workers::serial())) - full * stretched.asDiagonal()) < 1e-15);
}

TEST_CASE("norms of numbers in the middle neither underflow nor overflow") {
  const ColumnMatrix x = random_matrix(3);
  for (const double unit : {1e-250, 1e250}) {
    const ColumnMatrix y = mapped(x, [unit](double e) { return e * unit; });
    CHECK(frobenius_norm(y) / unit == Approx(frobenius_norm(x)).epsilon(1e-14));
    CHECK(aggregate(y, Side::columns, Aggregate::euclidean)(0) / unit ==
          Approx(aggregate(x, Side::columns, Aggregate::euclidean)(0)).epsilon(1e-14));
  }
}

TEST_CASE("what needs to know which answers columns share is refused") {
  const ColumnMatrix x = random_matrix(4);
  CHECK_THROWS_AS(singular_values(x), std::logic_error);
  CHECK_THROWS_AS(nuclear_norm(x), std::logic_error);
  CHECK_THROWS_AS(spectral_norm(x), std::logic_error);
  CHECK_THROWS_AS(trace(x), std::logic_error);
  CHECK_THROWS_AS(transposed(x), std::logic_error);
  CHECK_THROWS_AS(multiplied(x, x, Workers::serial()), std::logic_error);
  // Two numbers a column, but three columns to two answers.
  ColumnStructure shared{.count = {3}, .answers = 2};
  CHECK_THROWS_AS(singular_values(ColumnMatrix(std::make_shared<const ColumnStructure>(shared))),
                  std::logic_error);
}
