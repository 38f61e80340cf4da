// Singular values of column matrices beside those of the matrix written out, and their digits beside 50.

#include "algebra/centred_columns.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "algebra/column_matrix.hpp"
#include "algebra/polar.hpp"
#include "core/real50.hpp"
#include "reference/decompositions.hpp"
#include "reference/random_cases.hpp"

using namespace rarefact;
namespace {

std::vector<double> written_out(const SingularValues& all) {
  std::vector<double> values;
  for (std::size_t i = 0; i < all.values.size(); ++i)
    values.insert(values.end(), static_cast<std::size_t>(all.multiplicities[i]), all.values[i]);
  return values;
}

TEST_CASE("singular values of centred columns are those of the matrix written out") {
  const reference::RandomCases cases(14, 50);  // twice every number of groups
  std::mt19937_64 random(cases.seed);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < cases.count; ++trial) {
    const std::size_t groups = 1 + static_cast<std::size_t>(trial) % 7;
    std::vector<double> count, length;
    double columns = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      count.push_back(1 + static_cast<double>(random() % 4));
      // Some are zero, as of classes that no sample shows; some are equal but for the sign.
      length.push_back(random() % 5 == 0 ? 0 : g > 0 && random() % 4 == 0 ? -length.back() : normal(random));
      columns += count.back();
    }
    const auto n = static_cast<Index>(columns);
    Matrix x = -Matrix::Ones(n, n) / columns;
    x.diagonal().array() += 1;
    for (Index column = 0, g = 0, left = static_cast<Index>(count[0]); column < n; ++column, --left) {
      while (left == 0) left = static_cast<Index>(count[++g]);
      x.col(column) *= length[g];
    }
    const Vector all = reference::svd(x).values;
    const std::vector<double> values = written_out(centred_singular_values<double>(count, length));
    const double largest = all.size() > 0 ? all(0) : 0;
    INFO("trial " << trial);
    REQUIRE(static_cast<Index>(values.size()) <= n);
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      CHECK(std::abs(all(i) - (at < values.size() ? values[at] : 0)) <= 1e-14 * largest);
    }
  }
}

TEST_CASE("their digits are all there however small they are beside others") {
  const auto compare = [](const std::vector<double>& count, const std::vector<double>& length) {
    const auto exact = centred_singular_values<Real50>(count, {length.begin(), length.end()});
    const SingularValues values = centred_singular_values<double>(count, length);
    REQUIRE(values.values.size() == exact.values.size());
    CHECK(values.multiplicities == exact.multiplicities);
    CHECK(std::ranges::is_sorted(values.values, std::greater<>()));
    for (std::size_t i = 0; i < values.values.size(); ++i)
      CHECK(std::abs(values.values[i] / static_cast<double>(exact.values[i]) - 1) <= 1e-15);
  };
  compare({1, 1e12, 3, 1, 1}, {1, 1e-120, 1e-9, 1e-9 * (1 + 1e-14), 1e-300});
  // Almost no columns are outside of one group.
  compare({1e200, 4, 5}, {1e60, 1.8e-24, 3.5e-32});
  compare({1e200, 4, 5}, {1e100, 1, 0.5});
  compare({1e300, 1, 1}, {1, 1e-155, 1e-160});
}

TEST_CASE("a column matrix whose columns sum to zero has them, any other those of its parts") {
  ColumnMatrix x(square_columns({2, 3, 1}));
  x.wrong << 0.25, -1, 0;
  x.right = -5 * x.wrong;
  const SingularValues centred = singular_values(x);
  CHECK(centred.values == centred_singular_values<double>({2, 3, 1}, {-1.5, 6, 0}).values);
  x.right(0) *= 1 + 1e-10;
  const std::vector<double> moved = written_out(singular_values(x)), before = written_out(centred);
  REQUIRE(moved.size() == before.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    CHECK(moved[i] != 0);
    CHECK(std::abs(moved[i] - before[i]) <= 1e-9 * before.front());
  }
}

/// The values of the irreducible parts in 50 digits, rounded.
SingularValues exact_values(const ColumnMatrix& x) {
  const std::vector<double>& count = x.structure->count;
  const Index size = x.right.size();
  MatrixOf<Real50> trivial(size, size);
  SingularValues all;
  for (Index j = 0; j < size; ++j) {
    const Real50 right(x.right(j)), wrong(x.wrong(j)), others(count[j] - 1);
    for (Index i = 0; i < size; ++i) trivial(i, j) = sqrt(Real50(count[i]) * Real50(count[j])) * wrong;
    trivial(j, j) = right + others * wrong;
    if (count[j] > 1) all.add(static_cast<double>(abs(right - wrong)), count[j] - 1);
  }
  for (const Real50& value : nonzero_singular_values<Real50>(trivial)) all.add(static_cast<double>(value), 1);
  return sorted(all);
}

TEST_CASE("other columns have the values of their parts, however short some are beside others") {
  const reference::RandomCases cases(15, 40);
  std::mt19937_64 random(cases.seed);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < cases.count; ++trial) {
    const std::size_t groups = 2 + static_cast<std::size_t>(trial) % 7;
    std::vector<double> count;
    for (std::size_t g = 0; g < groups; ++g)
      count.push_back(std::floor(1 + 1000 * std::pow(uniform(random), 3)));
    ColumnMatrix x(square_columns(count));
    const double decades = trial % 5;
    for (Index j = 0; j < x.right.size(); ++j) {
      const double size = std::pow(10, -decades * uniform(random));
      x.wrong(j) = -size * uniform(random);
      x.right(j) = size * (1 + uniform(random));
    }
    const SingularValues found = singular_values(x), exact = exact_values(x);
    INFO("trial " << trial);
    REQUIRE(found.values.size() == exact.values.size());
    // The trivial part has columns up to √K times as long as the distance to the span of the others.
    for (std::size_t i = 0; i < found.values.size(); ++i)
      CHECK(std::abs(found.values[i] / exact.values[i] - 1) <= 1e-12);
  }
}

TEST_CASE("neighbouring groups with the same numbers count as one") {
  ColumnMatrix parted(square_columns({2, 30, 1, 4})), whole(square_columns({33, 4}));
  parted.right << 1, 1, 1, -2;
  parted.wrong << -1, -1, -1, 0.5;
  whole.right << 1, -2;
  whole.wrong << -1, 0.5;
  const SingularValues one = singular_values(parted), other = singular_values(whole);
  CHECK(one.values == other.values);
  CHECK(one.multiplicities == other.multiplicities);
}

}  // namespace
