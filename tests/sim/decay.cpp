#include <catch2/catch.hpp>

#include "sim/stepper.hpp"

using namespace rarefact;

TEST_CASE("an update with decay makes (1 - ηλ) W - η D of W, also as a compensated sum") {
  for (const bool carries : {false, true}) {
    DenseMatrix d{Matrix::Random(3, 4)};
    TrainingState<DenseMatrix> state;
    state.w = {Matrix::Random(3, 4)};
    Matrix expected = state.w.entries;
    SingleUpdates<DenseMatrix> stepper(carries);
    for (const double size : {0.5, 0.25, 0.125}) {
      state.direction.matrix = &d;
      state.next = {size, 0.1};
      expected = (1 - size * 0.1) * expected - size * d.entries;
      REQUIRE(stepper.advance(state, nullptr, 1));
    }
    // A few roundings of numbers below 2.
    CHECK((state.w.entries - expected).cwiseAbs().maxCoeff() < 4e-15);
    CHECK(state.updates == 3);
  }
}
