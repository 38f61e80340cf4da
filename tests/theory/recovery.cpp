#include "theory/recovery.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "core/random.hpp"
#include "core/types.hpp"
#include "reference/decompositions.hpp"

using namespace rarefact;

TEST_CASE("what the polar factor keeps of a spike has its known values and limits") {
  CHECK(spike_recovery(0, 1) == 0);
  CHECK(spike_recovery(INFINITY, 1) == 1);
  const double pi = std::acos(-1.0);
  CHECK(spike_recovery(1e-9, 1) == Approx(8e-9 / (3 * pi)).epsilon(1e-12));
  CHECK(1 - spike_recovery(1e4, 1) == Approx(1e-8).epsilon(1e-3));
  CHECK_THROWS_AS(spike_recovery(-1, 1), std::invalid_argument);
  for (const double theta : {0.5, 1.0, 4.0, 100.0}) {
    const double closed = 2 / pi * ((1 - 1 / (theta * theta)) * std::atan(theta) + 1 / theta);
    CHECK(spike_recovery(theta, 1) == Approx(closed).epsilon(1e-12));
  }
  CHECK(spike_recovery(1, 0.5) == Approx(0.67493).margin(5e-6));
  // One row: x = λ v + σ g, |σ g| = 1, so x/|x| has θ/√(1+θ²) along v.
  CHECK(spike_recovery(2, 1e-9) == Approx(2 / std::sqrt(5.0)).epsilon(1e-6));
  CHECK_THROWS_AS(spike_recovery(1, 1.5), std::invalid_argument);
}

TEST_CASE("a signal of full rank is kept as in a matrix that is drawn, on either side of s = 1") {
  CHECK(flat_recovery(0) == 0);
  CHECK(flat_recovery(1) == Approx(0.75));
  CHECK(flat_recovery(1 - 1e-9) == Approx(0.75).epsilon(1e-6));
  constexpr Index m = 100;
  constexpr int draws = 10;
  for (const double s : {0.3, 0.7, 1.5}) {
    double mean = 0;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
      Matrix x(m, m);
      RandomStream(1, "flat").fill_normal(draw, {x.data(), static_cast<std::size_t>(x.size())});
      x = s * Matrix::Identity(m, m) + x / std::sqrt(double(m));
      mean += reference::svd(x).polar(m).trace() / m / draws;
    }
    CHECK(mean == Approx(flat_recovery(s)).epsilon(0).margin(0.01));
  }
}
