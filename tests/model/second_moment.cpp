#include <catch2/catch.hpp>

#include "model/dense_layout.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;

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
