#include <catch2/catch.hpp>

#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/sampler.hpp"
#include "model/symmetric_layout.hpp"
#include "reference/expand.hpp"
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

template <class M>
Matrix in_doubles(const Gradient<M>& gradient, const M& x) {
  return std::ldexp(1.0, gradient.exponent) * reference::expand(all_held(x));
}
Matrix in_doubles(const Gradient<DenseMatrix>& gradient, const DenseMatrix& x) {
  return std::ldexp(1.0, gradient.exponent) * x.entries;
}
Matrix in_doubles(const Gradient<SymmetricMatrix<double>>& gradient, const SymmetricMatrix<double>& x) {
  return std::ldexp(1.0, gradient.exponent) * reference::expand(x);
}

template <class Memory>
Gradient<typename Memory::State> population(const Memory& memory, const typename Memory::State& w) {
  Gradient<typename Memory::State> gradient;
  memory.evaluate(w, &gradient, nullptr, Workers::serial());
  return gradient;
}

/// Some columns recovered, some not, one tied.
ColumnMatrix mixed_columns(Index columns, const std::vector<double>& counts) {
  ColumnMatrix w(square_columns(counts));
  w.own = random_matrix(columns, 1, "own").col(0);
  w.other = 0.3 * random_matrix(columns, 1, "other").col(0);
  w.own(1) = w.other(1);
  w.own(2) = w.other(2) + 0.5;
  return w;
}

/// The gradient in the task basis with recovered facts removed is the gradient with their columns zero, and
/// not all columns are alike.
template <class Memory>
void check_task(const Memory& kept, const Memory& removed, const typename Memory::State& w,
                const Matrix& logits) {
  const std::vector<bool> gone = recovered(logits);
  const auto number = std::count(gone.begin(), gone.end(), true);
  REQUIRE(number > 0);
  REQUIRE(number < static_cast<long>(gone.size()));
  const auto all = population(kept, w), rest = population(removed, w);
  const Matrix expected = without(in_doubles(all, all.task), gone), found = in_doubles(rest, rest.task);
  CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-16);
  for (Index l = 0; l < found.cols(); ++l) CHECK(found.col(l).isZero(0) == gone[l]);
}

}  // namespace

TEST_CASE("facts whose right logit is strictly the largest give no gradient where they are removed") {
  for (const double noise : {0.0, 0.2}) {
    CAPTURE(noise);
    const DenseMatrix w = {random_matrix(classes, classes, "w") + 1.2 * Matrix::Identity(classes, classes)};
    check_task(DenseMemory({three_groups, noise}, nullptr, nullptr),
               DenseMemory({three_groups, noise}, nullptr, nullptr, true, true), w, w.entries);
    const ColumnMatrix columns = mixed_columns(3, three_groups.count);
    check_task(ColumnMemory({three_groups, noise}), ColumnMemory({three_groups, noise}, true), columns,
               reference::expand(columns));
    SymmetricMatrix<double> x(
        std::make_shared<const GroupStructure>(GroupStructure::blocks(1, three_groups.count)));
    x.own_entries() = random_matrix(3, 1, "own blocks").array() + 0.8;
    x.other_entries() = random_matrix(3, 3, "other blocks");
    check_task(SymmetricMemory<double>({three_groups, noise}, 1, {}, {}),
               SymmetricMemory<double>({three_groups, noise}, 1, {}, {}, true), x, reference::expand(x));
  }
}

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

TEST_CASE("samples on columns drop recovered facts as well") {
  const ColumnMatrix w = mixed_columns(classes, std::vector<double>(classes, 1));
  const Sample sample = Sampler({three_groups, 0}, RandomStream(3, "test")).sample(0, 40, Workers::serial());
  Gradient<ColumnMatrix> all, rest;
  ColumnMemory(ColumnMemory::of_classes({three_groups})).sampled_gradient(w, sample, all, Workers::serial());
  ColumnMemory(ColumnMemory::of_classes({three_groups}, true))
      .sampled_gradient(w, sample, rest, Workers::serial());
  const Matrix expected = without(in_doubles(all, all.task), recovered(reference::expand(w)));
  CHECK((in_doubles(rest, rest.task) - expected).cwiseAbs().maxCoeff() < 1e-16);
  CHECK(expected.norm() > 0);
}

TEST_CASE("a memory whose facts are all recovered has a gradient of zero, however sure it is") {
  for (const double size : {1.0, 800.0}) {
    const DenseMatrix w = {size * Matrix::Identity(classes, classes)};
    const auto dense = population(DenseMemory({three_groups, 0}, nullptr, nullptr, true, true), w);
    CHECK(dense.task.entries.isZero(0));
    ColumnMatrix columns(square_columns(three_groups.count));
    columns.own.setConstant(size);
    CHECK(population(ColumnMemory({three_groups, 0}, true), columns).task.own.isZero(0));
    SymmetricMatrix<double> x(
        std::make_shared<const GroupStructure>(GroupStructure::blocks(1, three_groups.count)));
    x.own_entries().setConstant(size);
    CHECK(population(SymmetricMemory<double>({three_groups, 0}, 1, {}, {}, true), x)
              .task.own_entries()
              .isZero(0));
  }
}
