#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2026/imbalance";

}  // namespace

TEST_CASE("gradient descent is sharper than Muon by K Σp³/Σp², whose exponents in K are known") {
  const CheckReport report = require_sharp(id);
  // Σ over k = 1 ... 1e6, written out.
  const Curve& curve = report.curves.front();
  REQUIRE(curve.x[0] == 1e6);
  const double ratios[] = {10.6315, 4546.02, 336127, 571428};
  for (std::size_t s = 0; s < 4; ++s) CHECK(curve.series[s].y[0] == Approx(ratios[s]).epsilon(1e-5));
}

TEST_CASE("the ratio of other rules fails") {
  require_failure(id, "gd", "muon", "ratio");
}
