#include <catch2/catch.hpp>

#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/sampler.hpp"
#include "model/symmetric_layout.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

namespace {

const ClassGroups three_groups = {{3, 5, 4}, {0.2, 0.06, 0.025}};
constexpr Index classes = 12;

/// Which columns of logits have their largest entry, alone, on the diagonal.
std::vector<bool> recovered(const Matrix& logits) {
  std::vector<bool> is(static_cast<std::size_t>(logits.cols()), true);
  for (Index l = 0; l < logits.cols(); ++l) {
    for (Index k = 0; k < logits.rows(); ++k) {
      if (k != l && logits(k, l) >= logits(l, l)) is[l] = false;
    }
  }
  return is;
}

Matrix without(Matrix gradient, const std::vector<bool>& columns) {
  for (Index l = 0; l < gradient.cols(); ++l) {
    if (columns[l]) gradient.col(l).setZero();
  }
  return gradient;
}

Matrix in_doubles(const Gradient<DenseMatrix>& gradient, const DenseMatrix& x) {
  return std::ldexp(1.0, gradient.exponent) * x.entries;
}

template <class Memory>
Gradient<typename Memory::State> population(const Memory& memory, const typename Memory::State& w) {
  Gradient<typename Memory::State> gradient;
  memory.evaluate(w, &gradient, nullptr, Workers::serial());
  return gradient;
}

}  // namespace

TEST_CASE("with embeddings, removed facts leave the gradient of the others") {
  const Index d = 7;
  const auto query = std::make_shared<const Matrix>(random_matrix(d, classes, "query")),
             answer = std::make_shared<const Matrix>(random_matrix(d + 1, classes, "answer"));
  const DenseMatrix w = {0.1 * *answer * query->transpose() + 0.3 * random_matrix(d + 1, d, "w")};
  const std::vector<bool> gone = recovered(answer->transpose() * w.entries * *query);
  const DenseMemory kept({three_groups, 0.1}, query, answer),
      removed({three_groups, 0.1}, query, answer, false, true);
  const auto all = population(kept, w), rest = population(removed, w);
  REQUIRE(std::count(gone.begin(), gone.end(), true) > 2);
  REQUIRE(std::count(gone.begin(), gone.end(), false) > 2);
  const Matrix expected = *answer * without(in_doubles(all, all.task), gone) * query->transpose();
  CHECK((in_doubles(rest, rest.ambient()) - expected).norm() < 1e-14 * expected.norm());

  const Sample sample =
      Sampler({three_groups, 0.1}, RandomStream(3, "test")).sample(0, 40, Workers::serial());
  Gradient<DenseMatrix> gradient;
  kept.sampled_gradient(w, sample, gradient, Workers::serial());
  const Matrix of_sample = *answer * without(in_doubles(gradient, gradient.task), gone) * query->transpose();
  removed.sampled_gradient(w, sample, gradient, Workers::serial());
  CHECK((in_doubles(gradient, gradient.ambient()) - of_sample).norm() < 1e-14 * of_sample.norm());
}

TEST_CASE("a memory whose facts are all recovered has a gradient of zero, however sure it is") {
  for (const double size : {1.0, 800.0}) {
    const DenseMatrix w = {size * Matrix::Identity(classes, classes)};
    const auto dense = population(DenseMemory({three_groups, 0}, nullptr, nullptr, true, true), w);
    CHECK(dense.task.entries.isZero(0));
    ColumnMatrix columns(square_columns(three_groups.count));
    columns.right.setConstant(size);
    CHECK(population(ColumnMemory({three_groups, 0}, true), columns).task.right.isZero(0));
    SymmetricMatrix<double> x(
        std::make_shared<const GroupStructure>(GroupStructure::blocks(1, three_groups.count)));
    x.diagonal_entries().setConstant(size);
    CHECK(population(SymmetricMemory<double>({three_groups, 0}, 1, {}, {}, true), x)
              .task.diagonal_entries()
              .isZero(0));
  }
}
