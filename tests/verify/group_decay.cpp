#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/margin.hpp"
#include "reference/scaling_laws.hpp"
#include "theory/margin_paths.hpp"
#include "verify/li2026/scaling_laws.hpp"

using namespace rarefact;
using namespace rarefact::checks::li2026;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// ∫ u^{q-1} F(u) du by the trapezoidal rule in ln u: slow and plain.
double plain_moment(double q, double from, double to, double total, double noise) {
  constexpr int points = 200000;
  const double low = std::log(from), step = (std::log(to) - low) / points;
  double sum = 0;
  for (int i = 0; i <= points; ++i) {
    const double u = std::exp(low + i * step);
    sum += (i == 0 || i == points ? 0.5 : 1) * std::pow(u, q) * flow_excess(total, noise, u);
  }
  return sum * step;
}

}  // namespace

TEST_CASE("a class starts at ln K - L* and its excess loss follows the flow") {
  for (const double total : {10.0, 1e6, 1e15}) {
    CHECK(flow_excess(total, 0.2, 0) ==
          Approx(std::log(total) - irreducible_loss(total, 0.2)).epsilon(1e-12));
    const double u = 7.5;
    CHECK(flow_excess(total, 0.2, u) ==
          Approx(excess_loss_of_margin(flow_margin(0.25, total, 0.2, u / 0.25), total, 0.2)).epsilon(1e-11));
  }
}

TEST_CASE("the moment of the decay agrees with plain integration") {
  for (const double total : {10.0, 1e4, 1e15}) {
    for (const double q : {1.0 / 3, 0.5, 2.0 / 3}) {
      CAPTURE(total, q);
      CHECK(excess_moment(q, 0.01, 60, total, 0.2) ==
            Approx(plain_moment(q, 0.01, 60, total, 0.2)).epsilon(1e-7));
      // Below u = 1e-9 F is F(0), above 1000 it is e^-300.
      const double head = std::pow(1e-9, q) / q * flow_excess(total, 0.2, 0);
      CHECK(excess_moment(q, 0, infinity, total, 0.2) ==
            Approx(head + plain_moment(q, 1e-9, 1000, total, 0.2)).epsilon(1e-6));
      CHECK(excess_moment(q, 0, 3, total, 0.2) + excess_moment(q, 3, infinity, total, 0.2) ==
            Approx(excess_moment(q, 0, infinity, total, 0.2)).epsilon(1e-9));
    }
  }
}

TEST_CASE("for many classes the moment tends to that of the ramp") {
  double last = 1;
  for (const double total : {1e15, 1e60, 1e300}) {
    const double off = std::abs(
        excess_moment(0.5, 0, infinity, total, 0.2) / excess_moment_of_many_classes(0.5, total, 0.2) - 1);
    CHECK(off < last);
    CHECK(off * optimal_margin(total, 0.2) < 4);
    last = off;
  }
}

TEST_CASE("the integral form agrees with the sum over many groups") {
  const double exponent = 2, total = 4e5, noise = 0.3, scaled_time = 4000;
  constexpr int groups = 100000;
  double mass = 0, sum = 0;
  for (int i = 1; i <= groups; ++i) {
    const double weight = std::pow(i, -exponent);
    mass += weight;
    sum += weight * flow_excess(total, noise, scaled_time * weight);
  }
  // s² q (1+q)/(12 N²) with N = (4000/18)^½ groups at the optimum: a thousandth.
  CHECK(group_excess_integral(exponent, groups, 1 / mass, scaled_time, total, noise) ==
        Approx(sum / mass).epsilon(2e-3));
}

TEST_CASE("a single exponential of the equivalent rate has the same limit") {
  const double exponent = 2, total = 1e6, noise = 0.2, scaled_time = 1e6, q = 0.5;
  const double rate = equivalent_rate(q, total, noise);
  const double published =
      flow_excess(total, noise, 0) * group_sum_limit<double>(exponent, rate * scaled_time);
  CHECK(group_excess_integral(exponent, 1e9, 1, scaled_time, total, noise) ==
        Approx(published).epsilon(1e-3));
}

TEST_CASE("arguments outside the stated intervals are refused") {
  CHECK_THROWS_AS(flow_excess(10, 0.2, -1), std::invalid_argument);
  CHECK_THROWS_AS(excess_moment(1, 0, 1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(excess_moment(0.5, 1, 1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(excess_moment_of_many_classes(0, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(excess_moment_of_many_classes(1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(group_excess_integral(1, 10, 1, 1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(group_excess_integral(2, 1, 1, 1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(group_excess_integral(2, 10, 1, 0, 10, 0.2), std::invalid_argument);
}
