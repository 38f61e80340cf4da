#include <catch2/catch.hpp>

#include "algebra/polar.hpp"
#include "algebra/symmetric_parts.hpp"
#include "core/real50.hpp"
#include "reference/high_precision.hpp"
#include "reference/residual.hpp"

using namespace rarefact;
using reference::Precise;
using reference::PreciseMatrix;

TEST_CASE("in 50 digits the polar factor is right to 46 of them, from scratch and along a trajectory") {
  const Index n = 8;
  const auto exact_residual = [](std::uint64_t seed) {
    return reference::exact_columns<MatrixOf<Real50>>(reference::residual_like(n, 3, seed));
  };
  for (const double turn : {0.02, 1e-8}) {
    MatrixOf<Real50> x = exact_residual(5);
    WarmStartPolar<Real50> tracker;
    for (int step = 0; step < 3; ++step) {
      const MatrixOf<Real50> polar = tracker(x);
      const PreciseMatrix exact = reference::residual_polar(reference::precise(x));
      const Precise off = (exact - reference::precise(polar)).cwiseAbs().maxCoeff();
      CAPTURE(turn, step);
      CHECK(off < Precise(1e-46));
      x += Real50(turn) * exact_residual(6);
    }
    CHECK(tracker.refined() == 2);
  }
}

TEST_CASE("in 50 digits a difference of 1e-30 between classes is a singular value, not rounding") {
  SymmetricMatrix<Real50> x(std::make_shared<const GroupStructure>(GroupStructure::blocks(1, {1e17, 1})));
  x.diagonal_block(0)(0, 0) = Real50(1) + Real50(1e-30);
  x.off_block(0, 0)(0, 0) = 1;
  x.diagonal_block(1)(0, 0) = 1;
  const SingularValues seen = singular_values(x);
  // Contrasts 1e-30 for 1e17 - 1 classes, the sum over the group 1e17, the other class 1.
  CHECK(seen.values == std::vector<double>{1e17, 1, 1e-30});
  CHECK(seen.multiplicities == std::vector<double>{1, 1, 1e17});
}
