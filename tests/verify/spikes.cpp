#include "verify/li2026b/spikes.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "reference/decompositions.hpp"

using namespace rarefact;
using namespace rarefact::checks::li2026b;

TEST_CASE("what is drawn is u and v in the polar factor that Eigen finds, N beside -N") {
  const Spike spike{7, 9, 2, 0.5};
  Matrix noise(7, 9);
  RandomStream(3, "spiked").fill_normal(0, {noise.data(), 63});
  double expected = 0;
  for (const double sign : {0.5, -0.5}) {
    Matrix x = sign * noise;
    x(0, 0) += 2;
    expected += 0.5 * reference::svd(x).polar(7)(0, 0);
  }
  CHECK(drawn_recovery(spike, 3, 1) == Approx(expected).epsilon(1e-12));
  CHECK(spike.theta() == Approx(4.0 / 3));
}
