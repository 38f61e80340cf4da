#include "algebra/operations.hpp"

#include <catch2/catch.hpp>

#include "algebra/plain_operations.hpp"
#include "core/real50.hpp"
#include "reference/decompositions.hpp"
#include "reference/expand.hpp"
#include "reference/random_symmetric.hpp"

using namespace plain_operations;
using reference::expand;
using reference::Multiplicities;
using reference::random_symmetric;
using reference::structure;

namespace {

const std::vector<SharedStructure> structures = [] {
  std::vector<SharedStructure> all = {
      structure(1, {5}),    structure(1, {1, 3}),    structure(1, {1, 1, 2, 4}), structure(3, {1, 2, 1}),
      structure(3, {2, 4}), structure(1, {1, 1, 1}), structure(2, {1, 5, 1, 2}), structure(1, {7, 3, 1}),
  };
  for (const auto& [name, s] : reference::rectangular_structures()) all.push_back(s);
  return all;
}();
/// Whatever stands where there is no entry must not count.
template <class Real>
SymmetricMatrix<Real> with_litter(SymmetricMatrix<Real> x) {
  for (Index i = 0; i < x.structure().groups(); ++i)
    if (x.structure().count[i] <= 1) x.off_block(i, i).setConstant(Real(1e3));
  return x;
}

bool is_clean(const SymmetricMatrix<double>& x) {
  for (Index i = 0; i < x.structure().groups(); ++i)
    if (x.structure().count[i] <= 1 && largest(x.off_block(i, i)) != 0) return false;
  return true;
}

SharedStructure structure_of_product(const SymmetricMatrix<double>& x, const SymmetricMatrix<double>& y) {
  return std::make_shared<const GroupStructure>(x.structure().count, x.structure().row_types(),
                                                y.structure().column_types());
}

/// The group of 7 of `whole` as two of 2.5 and 4.5 that are alike.
SymmetricMatrix<double> split(const SymmetricMatrix<double>& whole, const SharedStructure& finer) {
  const auto from = [](Index i) { return std::max<Index>(i - 1, 0); };
  SymmetricMatrix<double> x(finer);
  for (Index j = 0; j < finer->groups(); ++j) {
    x.diagonal_block(j) = whole.diagonal_block(from(j));
    for (Index i = 0; i < finer->groups(); ++i) x.off_block(i, j) = whole.off_block(from(i), from(j));
  }
  return x;
}

double distance(const SymmetricMatrix<double>& x, const SymmetricMatrix<double>& y) {
  return std::max(largest(x.diagonal_entries() - y.diagonal_entries()),
                  largest(x.off_entries() - y.off_entries()));
}

double distance(const SymmetricMatrix<Real50>& x, const SymmetricMatrix<double>& y) {
  SymmetricMatrix<double> rounded(y.shared_structure());
  rounded.diagonal_entries() = x.diagonal_entries().cast<double>();
  rounded.off_entries() = x.off_entries().cast<double>();
  return distance(rounded, y);
}

}  // namespace

TEST_CASE("reductions, products and transposes of symmetric matrices are those of the matrix written out") {
  for (const SharedStructure& s : structures) {
    const auto x = with_litter(random_symmetric(s, 1)), y = with_litter(random_symmetric(s, 2));
    const Matrix full = expand(x), other = expand(y);
    CAPTURE(s->rows(), s->columns(), s->groups());
    for (const Aggregate how : all_measures) {
      for (const Side along : {Side::rows, Side::columns}) {
        const Vector seen = expand(aggregate(x, along, how), *s, along);
        REQUIRE(seen.size() == (along == Side::rows ? full.rows() : full.cols()));
        for (Index i = 0; i < seen.size(); ++i) {
          const Matrix line = along == Side::rows ? full.row(i) : Matrix(full.col(i));
          CHECK(seen(i) == Approx(plain(line, how)).epsilon(1e-13).margin(1e-13));
        }
        CHECK(largest(seen - aggregate(DenseMatrix{full}, along, how)) < 1e-13);
        const Vector v = aggregate(x, along, Aggregate::largest);
        CHECK(aggregate(v, x, along, how) == Approx(plain(expand(v, *s, along), how)).epsilon(1e-13));
        CHECK(aggregate(v, DenseMatrix{}, along, how) == Approx(plain(v, how)).epsilon(1e-13));
      }
      CHECK(aggregate(x, how) == Approx(plain(full, how)).epsilon(1e-13).margin(1e-12));
      CHECK(aggregate(DenseMatrix{full}, how) == Approx(plain(full, how)).epsilon(1e-13).margin(1e-12));
    }
    CHECK(frobenius_norm(x) == Approx(full.norm()).epsilon(1e-14));
    CHECK(inner(x, y) == Approx(full.cwiseProduct(other).sum()).epsilon(1e-12).margin(1e-12));
    CHECK(inner(DenseMatrix{full}, DenseMatrix{other}) == Approx(inner(x, y)).epsilon(1e-12).margin(1e-12));

    // Every way in which sides meet.
    const auto beside = with_litter(random_symmetric(with_sides(s, Side::columns, Side::columns), 3)),
               above = with_litter(random_symmetric(with_sides(s, Side::rows, Side::rows), 4));
    const auto across = transposed(y);
    for (const auto& [left, right] :
         {std::pair(x, across), {across, x}, {x, beside}, {above, x}, {beside, beside}}) {
      const auto z = multiplied(left, right, serial);
      const Matrix exact = expand(left) * expand(right);
      CHECK(z.structure() == *structure_of_product(left, right));
      CHECK(largest(expand(z) - exact) < 1e-12 * std::max(1.0, largest(exact)));
      CHECK(is_clean(z));
    }
    CHECK(largest(multiplied(DenseMatrix{full}, DenseMatrix{other.transpose()}, serial).entries -
                  full * other.transpose()) < 1e-12);
    for (const auto& square : {beside, above}) {
      const Matrix written = expand(square);
      CHECK(trace(square) == Approx(written.trace()).epsilon(1e-13).margin(1e-13));
      CHECK(trace(DenseMatrix{written}) == Approx(written.trace()).epsilon(1e-13).margin(1e-13));
    }
    CHECK(largest(expand(transposed(x)) - full.transpose()) == 0);
    CHECK(largest(transposed(DenseMatrix{full}).entries - full.transpose()) == 0);
    CHECK(is_clean(transposed(x)));
    const Vector v = aggregate(y, Side::columns, Aggregate::sum), written = expand(v, *s, Side::columns);
    CHECK(largest(expand(multiplied(x, v), *s, Side::rows) - full * written) < 1e-11);
    CHECK(largest(multiplied(DenseMatrix{full}, written) - full * written) < 1e-11);
  }
}

TEST_CASE("a product shares the structure of its factors, and factors whose sides differ have none") {
  const SharedStructure square = structure(2, {3, 1}), wide = structure({3, 2}, {{1}, {1}}, {{2}, {1, 3}});
  const auto x = random_symmetric(square, 1), w = random_symmetric(wide, 2);
  CHECK(multiplied(x, x, serial).shared_structure() == square);
  CHECK(transposed(x).shared_structure() == square);
  CHECK(transposed(transposed(w)).structure() == *wide);
  CHECK_THROWS_AS(multiplied(w, w, serial), std::logic_error);
}

TEST_CASE("functions of singular values of symmetric matrices are those of the matrix written out") {
  for (const SharedStructure& s : structures) {
    const auto x = with_litter(random_symmetric(s, 3));
    const Matrix full = expand(x);
    CAPTURE(s->rows(), s->columns(), s->groups());
    const auto mapped = spectral_function(x, root_of, serial);
    CHECK(is_clean(mapped));
    const reference::Svd svd = reference::svd(full);
    // Contrasts among identical classes are zero but for rounding.
    const Vector sigma = svd.values.unaryExpr([&](double e) { return e > 1e-12 * svd.values(0) ? e : 0; });
    const Index rank = (sigma.array() > 0).count();
    const Matrix expected = svd.u * sigma.cwiseSqrt().asDiagonal() * svd.v.transpose();
    CHECK(largest(expand(mapped) - expected) < 1e-12);
    CHECK(largest(spectral_function(DenseMatrix{full}, root_of, serial).entries - expected) < 1e-12);
    CHECK(nuclear_norm(x) == Approx(sigma.sum()).epsilon(1e-13));
    CHECK(nuclear_norm(DenseMatrix{full}) == Approx(sigma.sum()).epsilon(1e-13));
    CHECK(spectral_norm(x) == Approx(sigma(0)).epsilon(1e-13));
    CHECK(spectral_norm(DenseMatrix{full}) == Approx(sigma(0)).epsilon(1e-13));

    for (Index r = 0; r <= rank; ++r) {
      const auto part = leading_part(x, r);
      const auto dense = leading_part(DenseMatrix{full}, r);
      const bool cuts = r > 0 && r < rank && sigma(r - 1) - sigma(r) < 1e-10;
      CAPTURE(r);
      CHECK(part.has_value() == !cuts);
      CHECK(dense.has_value() == !cuts);
      if (cuts || !part || !dense) continue;
      const Matrix leading = svd.u.leftCols(r) * sigma.head(r).asDiagonal() * svd.v.leftCols(r).transpose();
      CHECK(is_clean(*part));
      CHECK(largest(expand(*part) - leading) < 1e-11);
      CHECK(largest(dense->entries - leading) < 1e-11);
    }
  }
}

TEST_CASE("a group split in two of real sizes gives the same numbers") {
  const std::vector<double> whole = {7, 3, 1}, parts = {2.5, 4.5, 3, 1};
  // Identical classes that are no whole number either.
  const Multiplicities answers = {{1, 2.5}, {1}, {1, 1, 0.5}}, queries = {{1.5, 1, 3, 1, 1.25}, {2, 2}, {1}};
  const auto again = [](Multiplicities multiplicity) {
    multiplicity.insert(multiplicity.begin(), multiplicity.front());
    return multiplicity;
  };
  for (const auto& [coarse, finer] :
       {std::pair(structure(1, whole), structure(1, parts)),
        {structure(3, whole), structure(3, parts)},
        {structure(whole, answers, queries), structure(parts, again(answers), again(queries))}}) {
    const auto x = random_symmetric(coarse, 4), y = random_symmetric(coarse, 5);
    const auto x2 = split(x, finer), y2 = split(y, finer);
    const auto widened = [&, &s = *coarse](const Vector& v, Side along) {
      const Index b = s.types(along).size(0);
      Vector w(v.size() + b);
      w << v.head(b), v;
      return w;
    };
    CAPTURE(coarse->rows(), coarse->columns());
    for (const Aggregate how : all_measures) {
      for (const Side along : {Side::rows, Side::columns}) {
        const Vector v = aggregate(x, along, how);
        CHECK(largest(aggregate(x2, along, how) - widened(v, along)) < 1e-13);
        CHECK(aggregate(widened(v, along), x2, along, how) ==
              Approx(aggregate(v, x, along, how)).epsilon(1e-13));
      }
      CHECK(aggregate(x2, how) == Approx(aggregate(x, how)).epsilon(1e-13));
      const Vector v = aggregate(x, Side::columns, Aggregate::sum);
      CHECK(largest(multiplied(x2, widened(v, Side::columns)) - widened(multiplied(x, v), Side::rows)) <
            1e-11);
    }
    CHECK(inner(x2, y2) == Approx(inner(x, y)).epsilon(1e-13));
    const auto square = multiplied(x, transposed(y), serial),
               square2 = multiplied(x2, transposed(y2), serial);
    CHECK(trace(square2) == Approx(trace(square)).epsilon(1e-13));
    CHECK(distance(square2, split(square, square2.shared_structure())) < 1e-12);
    SymmetricPolar<double> polar, polar2;
    CHECK(distance(polar2(x2, serial), split(polar(x, serial), finer)) < 1e-12);
    CHECK(distance(transposed(x2), split(transposed(x), transposed(x2).shared_structure())) == 0);
    CHECK(distance(spectral_function(x2, root_of, serial),
                   split(spectral_function(x, root_of, serial), finer)) < 1e-12);
    CHECK(nuclear_norm(x2) == Approx(nuclear_norm(x)).epsilon(1e-13));
    CHECK(spectral_norm(x2) == Approx(spectral_norm(x)).epsilon(1e-13));
    for (Index r = 0; r <= 33; ++r) {
      const auto part = leading_part(x, r), part2 = leading_part(x2, r);
      REQUIRE(part.has_value() == part2.has_value());
      if (part) CHECK(distance(*part2, split(*part, finer)) < 1e-12);
    }
  }
}

TEST_CASE("in 50 digits symmetric matrices are those of the matrix written out, to 40 of them") {
  for (const SharedStructure& s : {structure(3, {1, 2, 4}), reference::rectangular_structures()[2].second}) {
    const auto x = random_symmetric(s, 6);
    const auto x50 = random_symmetric<Real50>(s, 6), y50 = random_symmetric<Real50>(s, 7);
    const auto z50 = multiplied(x50, transposed(y50), serial);
    const MatrixOf<Real50> full = expand(x50), other = expand(y50);
    const auto tiny = [](const MatrixOf<Real50>& off) {
      return Real50(off.cwiseAbs().maxCoeff()) < Real50(1e-40);
    };
    CHECK(tiny(expand(z50) - full * other.transpose()));
    CHECK(abs(Real50(frobenius_norm(x50) - full.norm())) < Real50(1e-40));
    SymmetricPolar<Real50> polar;
    CHECK(tiny(expand(polar(x50, serial)) - polar_factor<Real50>(full)));
    const auto root50 = [](const Real50& sigma) { return Real50(sqrt(sigma)); };
    CHECK(distance(spectral_function(x50, root50, serial), spectral_function(x, root_of, serial)) < 1e-12);
  }
}
