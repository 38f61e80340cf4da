#include <catch2/catch.hpp>

#include "algebra/algebra.hpp"
#include "core/random.hpp"

using namespace rarefact;

namespace {

constexpr Index groups = 9;

SharedColumns structure() {
  return square_columns({1, 4, 1, 2, 1, 1, 3, 1, 1});
}

/// Random entries in the columns of `stored_groups`; in all columns if it is empty.
ColumnMatrix random_matrix(std::uint64_t which, std::vector<Index> stored_groups) {
  const RandomStream random(1, "column matrix test");
  ColumnMatrix x(structure());
  if (!stored_groups.empty()) {
    x.right.resize(static_cast<Index>(stored_groups.size()));
    x.wrong.resize(static_cast<Index>(stored_groups.size()));
    x.stored_groups = std::make_shared<const std::vector<Index>>(std::move(stored_groups));
  }
  for (Index i = 0; i < x.right.size(); ++i) {
    x.right(i) = random.normal(2 * which, static_cast<std::uint64_t>(i));
    x.wrong(i) = random.normal(2 * which + 1, static_cast<std::uint64_t>(i));
  }
  return x;
}

/// One operand with every column, one with some, the same columns in an array of their own, other ones, the
/// first and the last, and one alone.
std::vector<ColumnMatrix> operands() {
  return {random_matrix(0, {}),           random_matrix(1, {1, 4, 5}), random_matrix(2, {1, 4, 5}),
          random_matrix(3, {0, 3, 4, 6}), random_matrix(4, {0, 8}),    random_matrix(5, {8})};
}

/// Equal entries; a column stored as zeros and one that is not stored are the same.
void check_equal(const ColumnMatrix& x, const ColumnMatrix& y) {
  const ColumnMatrix a = with_all_columns(x), b = with_all_columns(y);
  for (Index l = 0; l < groups; ++l) {
    CAPTURE(l);
    // The fused multiply-add of one way of writing a sum may be two roundings in another.
    CHECK(a.right(l) == Approx(b.right(l)).epsilon(1e-15).margin(1e-15));
    CHECK(a.wrong(l) == Approx(b.wrong(l)).epsilon(1e-15).margin(1e-15));
  }
}

}  // namespace

TEST_CASE("matrices that hold some columns do what they would with all of them written out") {
  const std::vector<ColumnMatrix> all = operands();
  const auto f = [](double y, double x) { return 2 * y - x * x; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      CAPTURE(i, j);
      for (const double a : {1.0, 0.25}) {
        ColumnMatrix some = all[i], full = with_all_columns(all[i]);
        combine(some, a, -0.5, all[j]);
        combine(full, a, -0.5, with_all_columns(all[j]));
        check_equal(some, full);
      }
      ColumnMatrix some = all[i], full = with_all_columns(all[i]);
      map_in_place(some, all[j], f);
      map_in_place(full, with_all_columns(all[j]), f);
      check_equal(some, full);
    }
    const auto cube = [](double x) { return x * x * x; };
    check_equal(mapped(all[i], cube), mapped(with_all_columns(all[i]), cube));
    // Sums of up to nine squares in two orders.
    CHECK(frobenius_norm(all[i]) == Approx(frobenius_norm(with_all_columns(all[i]))).epsilon(1e-14));
    const SingularValues some = singular_values(all[i]), full = singular_values(with_all_columns(all[i]));
    CHECK(some.values == full.values);
  }
}

TEST_CASE("an update by some columns leaves the others alone and holds no more of them") {
  ColumnMatrix w = random_matrix(0, {});
  const ColumnMatrix before = w, update = random_matrix(1, {1, 4, 5});
  combine(w, 1, -0.5, update);
  CHECK(!w.stored_groups);
  for (Index l = 0; l < groups; ++l) {
    const bool touched = l == 1 || l == 4 || l == 5;
    CHECK((w.right(l) != before.right(l)) == touched);
    CHECK((w.wrong(l) != before.wrong(l)) == touched);
  }
  CHECK(mapped(update, [](double x) { return -x; }).right.size() == 3);
  ColumnMatrix sum = update;
  combine(sum, 0.5, 1, random_matrix(2, {1, 4, 5}));
  CHECK(sum.right.size() == 3);
}
