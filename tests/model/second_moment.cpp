#include <catch2/catch.hpp>

#include "algebra/operations.hpp"
#include "core/real50.hpp"
#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/symmetric_layout.hpp"
#include "reference/decompositions.hpp"
#include "reference/expand.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::expand;

namespace {

/// Σ p_l E_l E_lᵀ, term by term.
Matrix plain(const Matrix& e, const std::vector<Cell>& cells) {
  Matrix c = Matrix::Zero(e.rows(), e.rows());
  for (Index l = 0; l < e.cols(); ++l) c += cells[l].probability * e.col(l) * e.col(l).transpose();
  return c;
}

Matrix formed(const Matrix& root, int exponent) {
  return std::ldexp(1.0, exponent) * (root * root.transpose());
}

double largest(const Matrix& x) {
  return x.cwiseAbs().maxCoeff();
}

const ClassGroups groups{{1, 6, 3}, {0.4, 0.06, 0.08}};

}  // namespace

TEST_CASE("the second moment of dense queries is the sum over the classes") {
  const Matrix wide = reference::random_matrix(4, 10, "queries");
  const DenseMemory embedded({groups}, std::make_shared<const Matrix>(wide), nullptr),
      task({groups}, nullptr, nullptr);
  const auto c = embedded.second_moment_root(), diagonal = task.second_moment_root();
  CHECK(largest(formed(c.root.entries, c.exponent) - plain(wide, embedded.cells())) < 1e-15);
  CHECK(largest(formed(diagonal.root.entries, diagonal.exponent) -
                plain(Matrix::Identity(10, 10), task.cells())) < 1e-16);
}

TEST_CASE("symmetric and column memories have the second moment of the queries written out") {
  const DenseMemory task({groups}, nullptr, nullptr);
  const auto columns = ColumnMemory({groups}).second_moment_root();
  CHECK(largest(formed(expand(columns.root), columns.exponent) -
                plain(Matrix::Identity(10, 10), task.cells())) < 1e-16);
  const auto same = SymmetricMemory<double>({groups}, 1, {}, {}).second_moment_root();
  CHECK(largest(expand(same.root) - expand(columns.root)) == 0);

  // EᵀE is the Gram matrix.
  const double rho = 0.3;
  const Matrix gram = (1 - rho) * Matrix::Identity(10, 10) + Matrix::Constant(10, 10, rho);
  const SymmetricMemory<double> correlated({groups}, 1, {{}, rho}, {{}, 0.5});
  auto one = correlated.zero();
  for (Index i = 0; i < 3; ++i) one.own(i)(0, 0) = 1;
  const Matrix e = expand(correlated.with_queries(one, Workers::serial()));
  CHECK(largest(e.transpose() * e - gram) < 1e-15);
  const auto stretched = correlated.second_moment_root();
  CHECK(largest(formed(expand(stretched.root), stretched.exponent) - plain(e, task.cells())) < 1e-15);
  const auto precise = SymmetricMemory<Real50>({groups}, 1, {{}, rho}, {}).second_moment_root();
  CHECK(precise.exponent == stretched.exponent);
  CHECK(largest(precise.root.own_entries().cast<double>() - stretched.root.own_entries()) < 1e-15);
  CHECK(largest(precise.root.other_entries().cast<double>() - stretched.root.other_entries()) < 1e-15);
}

TEST_CASE("the second moment of clustered queries has their similarity") {
  Units units;
  units.groups.push_back({3, {1}, {{1, 0.2, {{0, 1, true}}}, {1, 0.05, {{0, 1, true}}}}});
  units.groups.push_back({1, {1}, {{1, 0.25, {{0, 1, true}}}}});
  const auto c =
      SymmetricMemory<double>(units, false, 0, NoiseAnswers::uniform, {{}, 0, 0.4}, {}).second_moment_root();
  // rootᵀ root = diag(√p) EᵀE diag(√p).
  const auto inner = multiplied(transposed(c.root), c.root, Workers::serial());
  const double unit = std::ldexp(1.0, c.exponent);
  CHECK(unit * inner.own(0)(0, 0) == Approx(0.2).epsilon(1e-15));
  CHECK(unit * inner.own(0)(0, 1) == Approx(0.4 * std::sqrt(0.2 * 0.05)).epsilon(1e-15));
  CHECK(unit * inner.own(1)(0, 0) == Approx(0.25).epsilon(1e-15));
  CHECK(inner.other_entries().cwiseAbs().maxCoeff() < 1e-16);
}

TEST_CASE("the second moment of block-rotated queries is that of the queries written out") {
  const ClassGroups in_threes{{3, 6}, {0.2, 0.4 / 6}};
  const Matrix block = reference::svd(reference::random_matrix(3, 3, "block")).u;
  Matrix e = Matrix::Zero(9, 9);
  for (Index i = 0; i < 3; ++i) e.block(3 * i, 3 * i, 3, 3) = block;
  const auto c = SymmetricMemory<double>({in_threes}, 3, {block, 0}, {}).second_moment_root();
  CHECK(largest(formed(expand(c.root), c.exponent) -
                plain(e, DenseMemory({in_threes}, nullptr, nullptr).cells())) < 1e-16);
}
