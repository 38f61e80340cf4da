#include <catch2/catch.hpp>

#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/symmetric_layout.hpp"

using namespace rarefact;

namespace {

const ClassGroups three_groups = {{3, 5, 4}, {0.2, 0.06, 0.025}};
constexpr Index classes = 12;

template <class Memory>
Gradient<typename Memory::State> population(const Memory& memory, const typename Memory::State& w) {
  Gradient<typename Memory::State> gradient;
  memory.evaluate(w, &gradient, nullptr, Workers::serial());
  return gradient;
}

}  // namespace

TEST_CASE("a memory whose facts are all recovered has a gradient of zero, however sure it is") {
  const Population removing{.queries = three_groups, .removes_recovered = true};
  for (const double size : {1.0, 800.0}) {
    const DenseMatrix w = {size * Matrix::Identity(classes, classes)};
    const auto dense = population(DenseMemory(removing, nullptr, nullptr), w);
    CHECK(dense.task.entries.isZero(0));
    ColumnMatrix columns(square_columns(three_groups.count));
    columns.right.setConstant(size);
    CHECK(population(ColumnMemory(removing), columns).task.right.isZero(0));
    SymmetricMatrix<double> x(
        std::make_shared<const GroupStructure>(GroupStructure::blocks(1, three_groups.count)));
    x.diagonal_entries().setConstant(size);
    CHECK(population(SymmetricMemory<double>(removing, 1, {}, {}), x).task.diagonal_entries().isZero(0));
  }
}
