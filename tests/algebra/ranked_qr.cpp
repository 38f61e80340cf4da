#include "algebra/ranked_qr.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "algebra/eight_kernels.hpp"
#include "algebra/singular_values.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;

TEST_CASE("a column that is dependent only up to its rounding may hide smaller ones that are kept") {
  Matrix x(3, 3);
  x << 1 + 1e-15, 2, 0, 2, 4, 0, 3, 6, 1e-40;
  const auto decide = [](const Matrix& m) { return rank_decision<double>(m, column_norms(m)); };
  CHECK(decide(x).rank == 2);
  CHECK(decide(x).dropped == 1);
  x(2, 2) = 1;
  CHECK(decide(x).dropped == 0);
  CHECK_FALSE(decide(x).general);  // two of the three columns are parallel
  x.col(0) = x.col(1) + x.col(2);
  CHECK(decide(x).rank == 2);
  CHECK(decide(x).general);
  CHECK(decide(Matrix::Identity(3, 3)).general);
}

TEST_CASE("doubles have the rank, pivots and R of the general factorisation") {
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{1, 1}, {9, 1}, {1, 9}, {23, 23}, {40, 17}, {17, 40}}) {
    for (const int kind : {0, 1, 2, 3}) {
      CAPTURE(rows, columns, kind);
      Matrix x = reference::random_matrix(rows, columns, "ranked", 1);
      if (kind == 1) x.rowwise() -= x.colwise().mean().eval();
      if (kind >= 2)
        for (Index j = 0; j < columns; ++j) x.col(j) *= std::pow(10., -static_cast<double>(j % 11) * 20);
      if (kind == 3)
        for (Index j = 2; j < columns; j += 3) x.col(j) = x.col(j - 1) - x.col(j - 2);
      const Vector norms = column_norms(x);
      const double tolerance = rank_tolerance(x);
      const auto expected = pivoted_qr(x, [&](const Matrix&, Index, Index column, double norm) {
        return norm <= tolerance * norms(column);
      });
      const auto found = ranked_qr_of_doubles(x, norms, tolerance, any_rank);
      REQUIRE(found.pivots == expected.pivots);
      for (Index j = 0; j < columns; ++j) CHECK(safe_norm((found.r - expected.r).col(j)) <= 1e-13 * norms(j));
      CHECK((found.reflectors - expected.reflectors).norm() < 1e-11);
      CHECK((found.betas - expected.betas).norm() < 1e-11);
      CHECK(ranked_qr_of_doubles(x, norms, tolerance, 3).r.rows() == std::min<Index>(3, expected.r.rows()));
    }
  }
}

TEST_CASE("every kernel changes columns with the bytes of the others") {
  for (const Index rows : {1, 8, 40}) {
    const Index count = 16;
    const auto changed = [&](const EightKernels& kernels) {
      const EightColumns a(reference::random_matrix(rows, count + 2, "changes", 1), 0);
      std::vector<double*> columns;
      for (Index j = 0; j < count; ++j) columns.push_back(a.column(j));
      const std::vector<double> parts(count, 0.3);
      const EightColumns place(Matrix::Zero(count, 1), 0);
      kernels.change_columns({columns.data(), count, 0, a.stride(), a.column(count), parts.data(),
                              a.column(count + 1), place.column(0)});
      return std::pair<Matrix, Vector>{Matrix::Map(a.column(0), a.stride(), count),
                                       Vector::Map(place.column(0), count)};
    };
    const auto [columns, dots] = changed(all_eight_kernels().front());
    for (const EightKernels& kernels : all_eight_kernels()) {
      const auto [other_columns, other_dots] = changed(kernels);
      CHECK(other_columns == columns);
      CHECK(other_dots == dots);
    }
    const Matrix x = reference::random_matrix(rows, count + 2, "changes", 1);
    const Matrix expected = x.leftCols(count).colwise() + 0.3 * x.col(count);
    CHECK((columns.topLeftCorner(rows, count) - expected).norm() < 1e-14 * expected.norm());
    CHECK((dots - expected.transpose() * x.col(count + 1)).norm() < 1e-13 * expected.norm());
  }
}
