#include "verify/li2026/scaling_laws.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/real50.hpp"
#include "model/margin.hpp"
#include "reference/scaling_laws.hpp"
#include "theory/margin_paths.hpp"

using namespace rarefact;
using namespace rarefact::checks::li2026;

namespace {

/// ∫₁^M z^{-s} e^{-a z^{-s}} dz by quadrature in ln z, panel by panel of at most 1/4.
long double integrated(long double s, long double groups, long double a) {
  const auto integrand = [&](long double log_z) {
    const long double p = std::exp(-s * log_z);
    return std::exp(log_z) * p * std::exp(-a * p);
  };
  const long double end = std::log(groups);
  const int panels = int(end * 4) + 1;
  long double sum = 0;
  for (int i = 0; i < panels; ++i) {
    sum += boost::math::quadrature::gauss_kronrod<long double, 31>::integrate(integrand, end * i / panels,
                                                                              end * (i + 1) / panels, 0);
  }
  return sum;
}

}  // namespace

TEST_CASE("the sum over groups in its integral form equals a quadrature") {
  for (const double s : {1.02, 1.5, 2.0, 3.0}) {
    for (const double groups : {2.0, 4000.0, 1e12}) {
      for (const double time : {1e-8, 0.5, 1.0, 30.0, 1e5, 1e12}) {
        const long double expected = integrated(s, groups, time);
        if (expected < 1e-200L) continue;  // later than any run
        CAPTURE(s, groups, time);
        // s = 1.02 has q = 1/51: up to two digits are lost in the sum of powers it stands for.
        CHECK(group_sum_integral(s, groups, time) ==
              Approx(double(expected)).epsilon(s < 1.1 ? 1e-12 : 3e-14));
        CHECK(static_cast<double>(group_sum_integral<Real50>(s, groups, time)) ==
              Approx(double(expected)).epsilon(3e-14));
      }
    }
  }
}

TEST_CASE("inside the window the integral is its limit, and outside it is not") {
  CHECK(group_sum_integral(2.0, 1e8, 1e4) == Approx(group_sum_limit(2.0, 1e4)).epsilon(1e-5));
  CHECK(group_sum_limit(2.0, 1e4) == Approx(std::sqrt(M_PI) / 2 / 100).epsilon(1e-14));
  CHECK(group_sum_integral(2.0, 10.0, 1e4) < 1e-3 * group_sum_limit(2.0, 1e4));
  CHECK(group_sum_integral(2.0, 1e8, 1e-2) < 0.2 * group_sum_limit(2.0, 1e-2));
}

TEST_CASE("the local slope is the derivative of the integral and falls through -(1 - 1/s)") {
  for (const double s : {1.5, 2.0, 3.0}) {
    double before = 0;
    for (const double time : {1e-3, 0.3, 2.0, 50.0, 1e4, 1e6, 1e8}) {
      const Real50 step("1e-15");
      const Real50 up = log(group_sum_integral<Real50>(s, 4000, Real50(time) * exp(step)));
      const Real50 down = log(group_sum_integral<Real50>(s, 4000, Real50(time) * exp(-step)));
      const double slope = group_sum_slope(s, 4000.0, time);
      CAPTURE(s, time);
      CHECK(slope == Approx(static_cast<double>((up - down) / (2 * step))).margin(1e-13).epsilon(1e-13));
      CHECK(slope < before);
      before = slope;
    }
  }
}

TEST_CASE("the window ends where the local slope has left the law by the tolerance") {
  for (const double s : {1.5, 2.0, 3.0}) {
    const double q = 1 - 1 / s;
    const auto window = group_sum_window(s, 4000.0, 0.01);
    CAPTURE(s);
    CHECK(group_sum_slope(s, 4000.0, window.low) == Approx(0.01 - q).epsilon(1e-12));
    CHECK(group_sum_slope(s, 4000.0, window.high) == Approx(-0.01 - q).epsilon(1e-12));
    CHECK(window.low > 1);
    CHECK(window.high < std::pow(4000.0, s));
  }
  // Too few groups: a window so narrow that nothing can be fitted in it.
  const auto narrow = group_sum_window(2.0, 4.0, 0.05);
  CHECK(narrow.high < 1.5 * narrow.low);
}

TEST_CASE("gradient descent on a noisy power law has the local slope of the integral") {
  // M = 4000 groups of C = 10, s = 2, α = 0.2, η = 1/p_1: all groups by their own recursion.
  const double groups = 4000, classes = 40000, noise = 0.2, margin = optimal_margin(classes, noise);
  std::vector<double> distance(std::size_t(groups), margin);
  const auto excess_at = [&](int from, int to) {
    double sum = 0;
    for (std::size_t i = 0; i < distance.size(); ++i) {
      const double p = std::pow(double(i + 1), -2);
      for (int t = from; t < to; ++t)
        distance[i] -= p * (classes / (classes - 1)) * shortfall_at_distance(distance[i], classes, noise);
      sum += p * excess_loss_of_margin(margin - distance[i], classes, noise);
    }
    return sum;
  };
  const double early = excess_at(0, 500), late = excess_at(500, 1000);
  const double slope = std::log(late / early) / std::log(2.0);
  CHECK(slope == Approx(-0.5).margin(0.007).epsilon(0));
  // Excess losses decay as the square of the distance: a = 2 π₁ (1-π₁) t.
  const double decay = right_answer_probability(classes, noise) * wrong_answer_probability(classes, noise);
  CHECK(slope == Approx(group_sum_slope(2.0, groups, 2 * decay * 707)).margin(0.01).epsilon(0));
}

TEST_CASE("gradient descent is stable below the limit and not above, by its own recursion") {
  for (const double classes : {2.0, 64.0, 1e12}) {
    for (const double noise : {0.05, 0.2, 0.9}) {
      const double p = 0.3, limit = gd_stability_limit(p, classes, noise);
      CHECK(gd_stability_number(limit, p, classes, noise) == Approx(2).epsilon(1e-15));
      for (const double factor : {0.98, 1.02}) {
        // The deviation from m* after 400 steps, starting at 1e-8.
        double distance = 1e-8;
        for (int t = 0; t < 400; ++t)
          distance -= factor * limit * p * (classes / (classes - 1)) *
                      shortfall_at_distance(distance, classes, noise);
        CAPTURE(classes, noise, factor);
        CHECK((std::abs(distance) < 1e-8) == (factor < 1));
      }
    }
  }
  CHECK(gd_stability_limit(0.3, 64.0, 0.0) == INFINITY);
}

TEST_CASE("the excess loss on Muon's cycle stays within its bound, whatever the step size") {
  for (const double classes : {64.0, 65536.0, 1e15}) {
    for (const double noise : {1e-3, 0.2, 0.9}) {
      const double optimum = optimal_margin(classes, noise);
      for (const double eta : {0.01, 0.1, 0.37, 2.0}) {
        const auto bound = cycle_excess_bound(eta, classes, noise);
        double seen = 0;
        for (std::int64_t t = 100000; t < 100002; ++t)
          seen = std::max(seen, excess_loss_of_margin(sign_walk(eta, optimum, t), classes, noise));
        CAPTURE(classes, noise, eta);
        CHECK(seen <= bound.exact * (1 + 1e-12));
        CHECK(seen > bound.exact / 20);
        CHECK(std::abs(bound.exact / bound.leading - 1) < (eta < 0.1 ? 0.5 * eta : 1.5 * eta));
        CHECK(excess_at_distance(eta, classes, noise) ==
              Approx(excess_loss_of_margin(optimum - eta, classes, noise)).epsilon(1e-11));
        CHECK(excess_at_distance(-eta, classes, noise) ==
              Approx(excess_loss_of_margin(optimum + eta, classes, noise)).epsilon(1e-11));
      }
    }
  }
}

TEST_CASE("the trap is seen: the known step size divides m* nearly exactly") {
  const double classes = 65536, trap = 2 * std::log(classes) / 64;
  CHECK(cycle_offset(trap, classes, 0.2) < 1e-4);
  CHECK(cycle_offset(0.37, classes, 0.2) > 0.2);
  CHECK(cycle_offset(optimal_margin(classes, 0.2) / 7.9, classes, 0.2) == Approx(0.1).epsilon(1e-13));
  CHECK(cycle_offset(optimal_margin(classes, 0.2) / 7.5, classes, 0.2) == Approx(0.5).epsilon(1e-13));
}

TEST_CASE("the constants of li2026 are the known ones") {
  CHECK(optimal_margin(64, 0.2) / std::log(64) == Approx(1.33).margin(0.005).epsilon(0));
  const auto bound = cycle_excess_bound(0.1, 64.0, 0.2);
  const double right = 1 - 0.2 + 0.2 / 64;
  CHECK(bound.leading == Approx(0.005 * right * (1 - right)).epsilon(1e-14));
}

TEST_CASE("the laws in doubles have 13 digits of those in 50") {
  const auto digits = [](double value, const Real50& exact) {
    return -std::log10(std::max(1e-20, static_cast<double>(abs(Real50(value) / exact - 1))));
  };
  for (const double classes : {64.0, 1e15, 1e300}) {
    for (const double noise : {1e-9, 0.2, 0.99}) {
      CAPTURE(classes, noise);
      CHECK(digits(gd_stability_limit(0.1, classes, noise), gd_stability_limit<Real50>(0.1, classes, noise)) >
            14.5);
      CHECK(digits(cycle_excess_bound(0.3, classes, noise).leading,
                   cycle_excess_bound<Real50>(0.3, classes, noise).leading) > 14.5);
      CHECK(digits(cycle_excess_bound(0.3, classes, noise).exact,
                   cycle_excess_bound<Real50>(0.3, classes, noise).exact) > 13);
    }
  }
  for (const double time : {1e-3, 1.0, 1e4, 1e9}) {
    CHECK(digits(group_sum_integral(2.0, 1e4, time), group_sum_integral<Real50>(2, 1e4, time)) > 13);
    CHECK(digits(group_sum_slope(2.0, 1e4, time), group_sum_slope<Real50>(2, 1e4, time)) > 12);
  }
  const auto window = group_sum_window(1.5, 1e12, 0.003);
  const auto exact = group_sum_window<Real50>(1.5, 1e12, 0.003);
  CHECK(digits(window.low, exact.low) > 11);
  CHECK(digits(window.high, exact.high) > 11);
}

TEST_CASE("numbers outside of the laws are refused") {
  CHECK_THROWS_AS(group_sum_integral(1.0, 10.0, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(group_sum_integral(2.0, 1.0, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(group_sum_integral(2.0, 10.0, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(group_sum_window(2.0, 10.0, 0.5), std::invalid_argument);
  CHECK_THROWS_AS(gd_stability_number(1.0, 0.1, 1.0, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(gd_stability_number(1.0, 0.1, 10.0, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(cycle_offset(0.1, 64.0, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(cycle_excess_bound(0.0, 64.0, 0.1), std::invalid_argument);
}
