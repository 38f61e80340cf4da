#include "algebra/symmetric_matrix.hpp"

#include <catch2/catch.hpp>

#include "algebra/algebra.hpp"
#include "algebra/product.hpp"
#include "algebra/symmetric_product.hpp"
#include "core/real50.hpp"
#include "reference/expand.hpp"
#include "reference/random_matrix.hpp"
#include "reference/random_symmetric.hpp"

using namespace rarefact;
using reference::expand;
using reference::largest;
using reference::Multiplicities;
using reference::random_symmetric;
using reference::structure;
using Side = GroupStructure::Side;
using reference::random_matrix;

namespace {

const std::vector<SharedStructure> structures = [] {
  std::vector<SharedStructure> all = {
      structure(1, {5}),       structure(1, {1, 3}),       structure(1, {1, 1, 2, 4}), structure(2, {3, 2}),
      structure(3, {1, 2, 1}), structure(3, {2, 4}),       structure(1, {2, 2, 2, 2}), structure(4, {1, 1}),
      structure(1, {1, 1, 1}), structure(2, {1, 5, 1, 2}),
  };
  for (const auto& [name, s] : reference::rectangular_structures()) all.push_back(s);
  // Only parts matter where counts are no whole numbers.
  all.push_back(structure({2.5, 1.25}, {{1, 1.5}, {2}}, {{0.5}, {1, 3.25}}));
  return all;
}();

bool whole(const GroupStructure& s) {
  return std::ranges::all_of(s.count, [](double n) { return n == std::floor(n); });
}

}  // namespace

TEST_CASE("irreducible parts lead back to the matrix they came from") {
  for (const SharedStructure& s : structures) {
    const auto x = random_symmetric(s, 1);
    const auto back = from_parts(s, irreducible_parts(x));
    CHECK(largest(back.diagonal_entries() - x.diagonal_entries()) < 1e-14);
    CHECK(largest(back.off_entries() - x.off_entries()) < 1e-14);
  }
}

TEST_CASE("norm, polar factor and singular values equal those of the matrix written out") {
  for (const SharedStructure& s : structures) {
    if (!whole(*s)) continue;
    const auto x = random_symmetric(s, 2);
    const Matrix full = expand(x);
    CAPTURE(s->rows(), s->columns(), s->groups());
    CHECK(frobenius_norm(x) == Approx(full.norm()).epsilon(1e-14));

    SymmetricPolar<double> polar;
    CHECK(largest(expand(polar(x, Workers::serial())) - polar_factor<double>(full)) < 2e-13);

    const SingularValues values = singular_values(x);
    const Vector expected = nonzero_singular_values<double>(full);
    std::vector<double> written_out;
    for (std::size_t i = 0; i < values.values.size(); ++i) {
      written_out.insert(written_out.end(), static_cast<std::size_t>(values.multiplicities[i]),
                         values.values[i]);
    }
    REQUIRE(static_cast<Index>(written_out.size()) == expected.size());
    for (Index i = 0; i < expected.size(); ++i) {
      CHECK(written_out[i] == Approx(expected(i)).epsilon(1e-12).margin(1e-13 * expected(0)));
    }
  }
}

TEST_CASE("entrywise maps act on the entries of the matrix written out") {
  for (const SharedStructure& s : structures) {
    if (!whole(*s)) continue;
    auto x = random_symmetric(s, 3);
    const auto y = random_symmetric(s, 4);
    const auto square = [](double e) { return e * std::abs(e); };
    const Matrix squares =
        expand(x).unaryExpr(square);  // stored, so that no product is fused with the difference
    CHECK(largest(expand(mapped(x, square)) - squares) == 0);
    const auto product = [](double a, double b) { return a * b; };
    const Matrix expected = expand(x).cwiseProduct(expand(y));
    map_in_place(x, y, product);
    CHECK(largest(expand(x) - expected) == 0);
  }
}

TEST_CASE("the norm is that of the parts, entries counted with components and multiplicities") {
  for (const SharedStructure& s : structures) {
    const auto x = random_symmetric(s, 6);
    const auto parts = irreducible_parts(x);
    double squares = parts.trivial.squaredNorm();
    for (Index i = 0; i < s->groups(); ++i)
      squares += (s->count[i] - 1) * diagonal_block_of(parts.contrast, *s, i).squaredNorm();
    CAPTURE(s->rows(), s->columns());
    CHECK(frobenius_norm(x) == Approx(std::sqrt(squares)).epsilon(1e-14));
  }
}

namespace {

Matrix polar_of_part(Matrix part, const Vector& reference_norms) {
  to_polar(part, reference_norms, Workers::serial());
  return part;
}

}  // namespace

TEST_CASE("the polar factor of a component with one answer, or with one query, is A/|A| to the last digits") {
  for (const Index q : {3, 60}) {
    for (const double size : {1.0, 1e-200}) {
      Vector row(q);
      for (Index a = 0; a < q; ++a) row(a) = size * std::pow(0.5, static_cast<double>(a));
      const Vector unit = row / size / (row / size).norm();
      const Matrix wide = polar_of_part(row.transpose(), row);
      CHECK(largest(wide - unit.transpose()) < 2e-16);
      CHECK(largest(polar_of_part(row, Vector::Constant(1, row(0))) - unit) < 2e-16);
      CHECK(largest(wide - polar_factor<double>(row.transpose())) < 1e-15);
      // Beside references of another size all of it is rounding.
      CHECK(largest(polar_of_part(row.transpose(), row * 1e20)) == 0);
    }
  }
  // Rank one but for rounding, wider than its null space may cost, and of full rank.
  const Matrix u = reference::random_matrix(3, 1, "left"), v = reference::random_matrix(50, 1, "right");
  const Matrix one = u * v.transpose();
  CHECK(largest(polar_of_part(one, one.colwise().norm()) - one / one.norm()) < 1e-15);
  const Matrix full = reference::random_matrix(3, 50, "full"),
               polar = polar_of_part(full, full.colwise().norm());
  CHECK(largest(polar * polar.transpose() - Matrix::Identity(3, 3)) < 1e-14);
  CHECK(largest(polar - polar_factor<double>(full)) < 1e-14);
}

TEST_CASE("a structure knows its types, components and multiplicities, and comes back from an archive") {
  GroupStructure s({4, 1}, GroupTypes(Multiplicities{{2}, {1, 1}}), GroupTypes(Multiplicities{{1, 3}, {}}));
  CHECK(s.rows() == 3);
  CHECK(s.columns() == 2);
  CHECK(s.total(Side::rows) == 10);
  CHECK(s.total(Side::columns) == 16);
  CHECK(s.total<Real50>(Side::columns) == Real50(16));
  CHECK(s.row_types().group(2) == 1);
  CHECK(s.column_types().size(1) == 0);
  CHECK(s.components(Side::rows, 0) == 4);
  CHECK(s.diagonal_begin(2) == 2);
  CHECK(s.diagonal_column_begin(1) == 1);
  CHECK(s.has_multiplicity());
  CHECK_FALSE(s.square());
  const GroupTypes two(Multiplicities{{1, 1}, {1, 1}});
  CHECK(GroupStructure({3, 5}, two, two) == GroupStructure::blocks(2, {3, 5}));
  Archive saving;
  saving(s);
  const auto bytes = saving.take();
  GroupStructure loaded;
  Archive loading(bytes);
  loading(loaded);
  CHECK(loaded == s);
}

TEST_CASE("groups of up to 1e300 classes neither overflow nor lose the polar factor") {
  for (const double size : {1e3, 1e15, 1e150, 1e300}) {
    // X = diag(p) - (1/K) 1 pᵀ for two groups: T has rank one and msgn in closed form, v (diag(p)
    // v)ᵀ/‖diag(p) v‖ with v ⟂ u, u_i = √(n_i/K).
    const std::vector<double> n = {0.2 * size, 0.8 * size}, p = {4, 0.25};
    const auto s = structure(1, n);
    SymmetricMatrix<double> x(s);
    for (Index j = 0; j < 2; ++j) {
      const double share = p[j] / size;
      x.off_entries().col(j).setConstant(-share);
      x.diagonal_block(j)(0, 0) = p[j] - share;
    }
    SymmetricPolar<double> polar;
    const IrreducibleParts<double> parts = irreducible_parts(polar(x, Workers::serial()));
    Vector v(2), pv(2);
    v << std::sqrt(0.8), -std::sqrt(0.2);
    pv << p[0] * v(0), p[1] * v(1);
    CAPTURE(size);
    CHECK(largest(parts.trivial - v * pv.transpose() / pv.norm()) < 2e-15);
    CHECK(largest(parts.contrast - Vector::Ones(2)) < 1e-15);
    CHECK(std::isfinite(frobenius_norm(x)));
    CHECK(frobenius_norm(x) / std::sqrt(size) ==
          Approx(std::sqrt(0.2 * 16 + 0.8 * 0.0625)).epsilon(2 / size + 1e-14));
  }
}

TEST_CASE("columns of very different sizes keep their rank and digits beside what all rows share") {
  constexpr double n = 1e8;
  const SharedStructure s = structure(1, {n, n, n, n});
  SymmetricMatrix<double> x(s);
  for (Index c = 0; c < 4; ++c) {
    const double size = std::pow(10.0, -8.0 * static_cast<double>(c));
    for (Index r = 0; r < 4; ++r) x.off_entries()(r, c) = size;
    x.diagonal_entries()(c) = -size;
  }
  const SingularValues found = singular_values(x);
  CHECK(number_of(found) == Approx(4 * n).epsilon(1e-14));
  CHECK(found.values.back() == Approx(2e-24).epsilon(1e-6));
}

TEST_CASE("a matrix of signs has two singular values, however many classes there are") {
  for (const double n : {1e7, 2.5e11, 3e13, 1e20, 1e250}) {
    for (const SharedStructure& s : {structure(1, {n, n, n}), structure(1, {n, 1, 3 * n, 7, n})}) {
      SymmetricMatrix<double> x(s);
      // 11ᵀ - 2I, and with columns of the other sign.
      for (Index c = 0; c < s->columns(); ++c) {
        const double sign = c == 1 ? -1 : 1;
        for (Index r = 0; r < s->rows(); ++r) x.off_entries()(r, c) = r == c && s->count[c] == 1 ? 0 : sign;
        x.diagonal_entries()(c) = -sign;
      }
      const SingularValues found = singular_values(x);
      CAPTURE(n, s->groups());
      CHECK(found.values.front() == Approx(s->total<double>(Side::rows) - 2).epsilon(1e-14));
      CHECK(number_of(found) == Approx(s->total<double>(Side::rows)).epsilon(1e-14));
      for (std::size_t i = 1; i < found.values.size(); ++i)
        CHECK(found.values[i] == Approx(2).epsilon(1e-13));
    }
  }
}

TEST_CASE("one group alone: the trivial part of a residual is rounding noise and is dropped") {
  const auto s = structure(1, {7});
  SymmetricMatrix<double> x(s);
  x.off_block(0, 0)(0, 0) = 0.1;
  x.diagonal_block(0)(0, 0) = -0.6;
  SymmetricPolar<double> polar;
  const auto factor = polar(x, Workers::serial());
  // -(I - 11ᵀ/7)
  CHECK(factor.diagonal_block(0)(0, 0) == Approx(-6.0 / 7).epsilon(1e-15));
  CHECK(factor.off_block(0, 0)(0, 0) == Approx(1.0 / 7).epsilon(1e-15));
  const SingularValues values = singular_values(x);
  REQUIRE(values.values.size() == 1);
  CHECK(values.multiplicities[0] == 6);
}

TEST_CASE("a gram matrix is AᵀA, symmetric to the last bit, for any number of threads") {
  for (const Index n : {1, 7, 33, 130, 300}) {
    const Matrix a = random_matrix(n + 20, n, "gram", 1);
    const Matrix g = gram(view_of(a), Workers(2));
    // Sums of n + 20 products of numbers of order one.
    CHECK((g - a.transpose() * a).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(g == g.transpose());
    CHECK(g == gram(view_of(a), Workers::serial()));
  }
}
