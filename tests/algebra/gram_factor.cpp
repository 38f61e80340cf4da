#include "algebra/gram_factor.hpp"

#include <catch2/catch.hpp>

#include "core/real50.hpp"
#include "reference/expand.hpp"
#include "reference/random_matrix.hpp"
#include "reference/random_symmetric.hpp"

using namespace rarefact;
using reference::expand;
using reference::largest;
using reference::random_matrix;
using reference::random_symmetric;
using reference::structure;

namespace {

const Workers& serial = Workers::serial();

/// (11ᵀ/K - I) diag(p), p falling from 1 to 1/ratio.
DenseMatrix first_gradient(Index classes, double ratio) {
  Vector p(classes);
  for (Index l = 0; l < classes; ++l)
    p(l) = std::pow(ratio, -static_cast<double>(l) / static_cast<double>(classes - 1));
  const double share = 1 / static_cast<double>(classes);
  return {(Matrix::Constant(classes, classes, share) - Matrix::Identity(classes, classes)) * p.asDiagonal()};
}

DenseMatrix shampoo(const GramFactor<DenseMatrix>& left, const DenseMatrix& g,
                    const GramFactor<DenseMatrix>& right) {
  return multiplied(multiplied(left.power(-0.25), g, serial), right.power(-0.25), serial);
}

}  // namespace

TEST_CASE("Shampoo's first step is the polar factor however wide the spectrum of p") {
  for (const Index n : {12, 40}) {
    for (const double ratio : {1e4, 1e6, 1e8, 1e10}) {
      const DenseMatrix g = first_gradient(n, ratio);
      const auto left = GramFactor<DenseMatrix>::of(g), right = GramFactor<DenseMatrix>::of(transposed(g));
      const double off = largest(shampoo(left, g, right).entries - polar_factor<double>(g.entries));
      CAPTURE(n, ratio, off);
      CHECK(off < 1e-12);
      // The same of a factor that was made of two halves.
      const auto halves = left.combined(0.25, left, 0.75), right_halves = right.combined(0.5, right, 0.5);
      const double off_combined =
          largest(shampoo(halves, g, right_halves).entries - polar_factor<double>(g.entries));
      CAPTURE(off_combined);
      // L^-¼ as a matrix is known to eps of its largest entry, the root of the ratio.
      CHECK(off_combined < 1e-14 + std::numeric_limits<double>::epsilon() * std::sqrt(ratio));
    }
  }
}

TEST_CASE("a Gram factor forgets no small eigenvalue over a thousand steps") {
  const DenseMatrix g = first_gradient(12, 1e10);
  for (const DenseMatrix& x : {g, transposed(g)}) {
    const auto fresh = GramFactor<DenseMatrix>::of(x);
    auto sum = fresh;
    for (int step = 0; step < 1000; ++step) sum = sum.combined(0.99, fresh, 0.01);
    const Matrix a = sum.power(-0.25).entries, b = fresh.power(-0.25).entries;
    CHECK(largest(a - b) < 3e-13 * largest(b));
    std::string failure;
    CHECK(sum.eigenvectors(failure).entries.col(11).norm() == 0);
    CHECK(sum.eigenvectors(failure).entries.col(10).norm() == Approx(1));
  }
}

TEST_CASE("on groups whose probabilities differ by 1e20 no rank is lost") {
  const auto s = structure(1, {1, 1e4, 1e9, 1e13});
  SymmetricMatrix<double> g(s);
  SymmetricMatrix<Real50> precise(s);
  const double total = s->total(Side::rows);
  for (Index j = 0; j < 4; ++j) {
    const double p = std::pow(1e20, -static_cast<double>(j) / 3);
    g.off_entries().col(j).setConstant(p / total);
    g.diagonal_block(j)(0, 0) = p / total - p;
    precise.off_entries().col(j).setConstant(Real50(p) / Real50(total));
    precise.diagonal_block(j)(0, 0) = Real50(p) / Real50(total) - Real50(p);
    if (j == 0) precise.off_block(j, j).setZero(), g.off_block(j, j).setZero();
  }
  const auto factor = GramFactor<SymmetricMatrix<double>>::of(g);
  const auto precise_factor = GramFactor<SymmetricMatrix<Real50>>::of(precise);
  const auto sum = factor.combined(0.5, factor, 0.5);
  const auto a = sum.power(-0.25), b = factor.power(-0.25);
  const auto exact = precise_factor.power(Real50(-0.25));
  for (Index j = 0; j < 4; ++j) {
    CHECK(a.diagonal_block(j)(0, 0) == Approx(b.diagonal_block(j)(0, 0)).epsilon(1e-12));
    CHECK(a.diagonal_block(j)(0, 0) ==
          Approx(static_cast<double>(exact.diagonal_block(j)(0, 0))).epsilon(1e-12));
  }
}

TEST_CASE("factors of symmetric matrices are those of the matrix written out, of all sizes and real ones") {
  std::vector<SharedStructure> structures = {structure(1, {5}), structure(1, {1, 3, 1}),
                                             structure(3, {2, 1, 4})};
  for (const auto& [name, s] : reference::rectangular_structures()) structures.push_back(s);
  for (const SharedStructure& s : structures) {
    CAPTURE(s->rows(), s->columns());
    const auto x = random_symmetric(s, 21), y = random_symmetric(s, 22);
    const DenseMatrix full_x{expand(x)}, full_y{expand(y)};
    using Symmetric = GramFactor<SymmetricMatrix<double>>;
    const auto gram = Symmetric::of(x).combined(0.7, Symmetric::of(y), 0.3);
    const auto dense =
        GramFactor<DenseMatrix>::of(full_x).combined(0.7, GramFactor<DenseMatrix>::of(full_y), 0.3);
    const Matrix formed =
        0.7 * full_x.entries * full_x.entries.transpose() + 0.3 * full_y.entries * full_y.entries.transpose();
    CHECK(largest(expand(gram.formed()) - formed) < 1e-12);
    CHECK(largest(dense.formed().entries - formed) < 1e-12);
    CHECK(gram.root_trace() == Approx(std::sqrt(formed.trace())).epsilon(1e-14));
    CHECK(dense.root_trace() == Approx(std::sqrt(formed.trace())).epsilon(1e-14));
    // Sums of wide factors are of full rank but for identical classes; of others the rank is that of what is held.
    CHECK(largest(expand(gram.power(-0.25)) - dense.power(-0.25).entries) < 1e-11);
    const Matrix inverse = dense.power(-1).entries;
    CHECK(largest(formed * inverse * formed - formed) < 1e-9);
    const auto shifted = [](double lambda) { return 1 / (lambda + 1); };
    CHECK(largest(expand(gram.spectral(shifted)) - dense.spectral(shifted).entries) < 1e-12);
    const Matrix resolvent = dense.spectral(shifted).entries;
    const Matrix one = Matrix::Identity(formed.rows(), formed.rows()), range = dense.power(0).entries;
    CHECK(largest(resolvent * (formed + one) - range) < 1e-12);

    using Precise = GramFactor<SymmetricMatrix<Real50>>;
    const auto precise = Precise::of(random_symmetric<Real50>(s, 21))
                             .combined(0.7, Precise::of(random_symmetric<Real50>(s, 22)), 0.3);
    CHECK(largest(precise.power(-0.25).diagonal_entries().cast<double>() -
                  gram.power(-0.25).diagonal_entries()) < 1e-11);
  }
  const auto coarse = structure(1, {7, 1}), finer = structure(1, {2.5, 4.5, 1});
  const auto x = random_symmetric(coarse, 23);
  SymmetricMatrix<double> y(finer);
  const Index from[] = {0, 0, 1};
  for (Index j = 0; j < 3; ++j) {
    y.diagonal_block(j) = x.diagonal_block(from[j]);
    for (Index i = 0; i < 3; ++i) y.off_block(i, j) = x.off_block(from[i], from[j]);
  }
  const auto a = GramFactor<SymmetricMatrix<double>>::of(x), b = GramFactor<SymmetricMatrix<double>>::of(y);
  CHECK(b.root_trace() == Approx(a.root_trace()).epsilon(1e-14));
  CHECK(b.power(-0.25).diagonal_block(1)(0, 0) ==
        Approx(a.power(-0.25).diagonal_block(0)(0, 0)).epsilon(1e-13));
  CHECK(b.power(-0.25).off_block(0, 1)(0, 0) == Approx(a.power(-0.25).off_block(0, 0)(0, 0)).epsilon(1e-12));
}

TEST_CASE("factors of rectangular, zero and growing matrices have the rank of the sum") {
  using Gram = GramFactor<DenseMatrix>;
  const Matrix wide = random_matrix(4, 9, "wide"), thin = random_matrix(9, 2, "thin"),
               more = random_matrix(9, 3, "more");
  CHECK(largest(Gram::of({wide}).formed().entries - wide * wide.transpose()) < 1e-13);
  const auto zero = Gram::of({Matrix::Zero(9, 2)});
  CHECK(largest(zero.power(-0.5).entries) == 0);
  CHECK(zero.root_trace() == 0);
  const auto grown = zero.combined(0.9, Gram::of({thin}), 0.1).combined(0.9, Gram::of({more}), 0.1);
  const Matrix formed = 0.09 * thin * thin.transpose() + 0.1 * more * more.transpose();
  CHECK(largest(grown.formed().entries - formed) < 1e-14);
  std::string failure;
  const Matrix u = grown.eigenvectors(failure).entries;
  CHECK(failure.empty());
  CHECK(largest(u.leftCols(5).transpose() * u.leftCols(5) - Matrix::Identity(5, 5)) < 1e-14);
  CHECK(largest(u.rightCols(4)) == 0);
  const Matrix turned = u.transpose() * formed * u;
  for (Index i = 0; i < 4; ++i) CHECK(turned(i, i) > turned(i + 1, i + 1));
  CHECK(largest(turned - Matrix(turned.diagonal().asDiagonal())) < 1e-14);
  // Tiny gradients have roots as large ones do.
  const auto tiny = Gram::of({1e-200 * thin});
  CHECK(largest(tiny.power(-0.25).entries * 1e-100 - Gram::of({thin}).power(-0.25).entries) < 1e-13);
}

TEST_CASE("a sum of factors with many null vectors has no more rank than they") {
  using Gram = GramFactor<DenseMatrix>;
  Vector sizes(6);
  for (Index i = 0; i < 6; ++i) sizes(i) = std::pow(10.0, -static_cast<double>(i));
  const DenseMatrix x{random_matrix(12, 6, "flat") * sizes.asDiagonal()};
  const auto once = Gram::of(x), sum = once.combined(0.5, once, 0.5);
  CHECK(largest(sum.power(-0.25).entries - once.power(-0.25).entries) < 1e-10);
}

TEST_CASE("eigenvectors of equal eigenvalues are no eigenvectors") {
  std::string failure;
  GramFactor<DenseMatrix>::of({Vector{{3, 2, 2, 1}}.asDiagonal()}).eigenvectors(failure);
  CHECK(failure.find("eigenvalues 2 and 3") != std::string::npos);
  GramFactor<DenseMatrix>::of({Vector{{3, 2.001, 2, 1}}.asDiagonal()}).eigenvectors(failure);
  CHECK(failure.empty());
  CHECK_THROWS_AS(
      GramFactor<SymmetricMatrix<double>>::of(random_symmetric(structure(1, {2}), 1)).eigenvectors(failure),
      std::logic_error);
}

TEST_CASE("a Gram factor is saved and loaded, and what is not finite reaches no decomposition") {
  const auto s = structure(2, {1, 3});
  auto gram = GramFactor<SymmetricMatrix<double>>::of(random_symmetric(s, 24));
  Archive saved;
  saved(gram);
  const auto bytes = saved.take();
  GramFactor<SymmetricMatrix<double>> loaded;
  Archive from(bytes);
  from(loaded);
  from.finish();
  CHECK(largest(expand(loaded.power(0.5)) - expand(gram.power(0.5))) == 0);

  auto holes = random_symmetric(s, 25);
  holes.diagonal_block(1)(0, 0) = std::numeric_limits<double>::quiet_NaN();
  const auto broken = gram.combined(0.5, GramFactor<SymmetricMatrix<double>>::of(holes), 0.5);
  CHECK(std::isnan(broken.power(-0.25).diagonal_block(1)(0, 0)));
  CHECK(std::isnan(broken.formed().diagonal_block(1)(0, 0)));
  std::string failure;
  const Matrix nothing = Matrix::Constant(3, 3, std::numeric_limits<double>::infinity());
  CHECK(GramFactor<DenseMatrix>::of({nothing}).eigenvectors(failure).entries.array().isNaN().all());
}
