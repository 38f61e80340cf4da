// The excess loss of gradient descent on a noisy power law.

#include "theory/group_law.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/margin.hpp"
#include "theory/margin_paths.hpp"

using namespace rarefact;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// ∫ u^{q-1} F(u) du by the trapezoidal rule in ln u: slow and plain.
double plain_moment(double q, double from, double to, double total, double noise) {
  constexpr int points = 20000;
  const double low = std::log(from), step = (std::log(to) - low) / points;
  double sum = 0;
  for (int i = 0; i <= points; ++i) {
    const double u = std::exp(low + i * step);
    sum += (i == 0 || i == points ? 0.5 : 1) * std::pow(u, q) * flow_excess(total, noise, u);
  }
  return sum * step;
}

/// ∫₁^M z^{-ks} e^{-a z^{-s}} dz by quadrature in ln z, panel by panel of at most 1/4.
long double integrated(int k, long double s, long double groups, long double a) {
  const auto integrand = [&](long double log_z) {
    const long double p = std::exp(-s * log_z);
    return std::exp(log_z) * std::pow(p, k) * std::exp(-a * p);
  };
  const long double end = std::log(groups);
  const int panels = int(end * 4) + 1;
  long double sum = 0;
  for (int i = 0; i < panels; ++i)
    sum += boost::math::quadrature::gauss_kronrod<long double, 31>::integrate(integrand, end * i / panels,
                                                                              end * (i + 1) / panels, 0);
  return sum;
}

}  // namespace

TEST_CASE("a class starts at ln K - L* and its excess loss follows the flow") {
  for (const double total : {10.0, 1e6, 1e15}) {
    CHECK(flow_excess(total, 0.2, 0) ==
          Approx(std::log(total) - irreducible_loss(total, 0.2)).epsilon(1e-12));
    const double u = 7.5;
    CHECK(flow_excess(total, 0.2, u) ==
          Approx(excess_loss_of_margin(flow_margin(0.25, total, 0.2, u / 0.25).value, total, 0.2))
              .epsilon(1e-11));
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

TEST_CASE("the local slope of a single exponential equals a quadrature and falls") {
  for (const double s : {1.5, 2.0, 3.0}) {
    double before = 0;
    for (const double time : {1e-3, 0.3, 2.0, 50.0, 1e4, 1e6}) {
      CAPTURE(s, time);
      const double slope = group_sum_slope(s, 4000, time);
      const auto exact = double(-time * integrated(2, s, 4000, time) / integrated(1, s, 4000, time));
      CHECK(slope == Approx(exact).margin(1e-13).epsilon(1e-12));
      CHECK(slope < before);
      before = slope;
    }
  }
}

TEST_CASE("the window ends where the law's local slope has left -(1 - 1/s) by about the tolerance") {
  for (const double s : {1.5, 2.0, 3.0}) {
    const double q = 1 - 1 / s;
    const GroupLawWindow window = group_law_window(s, 1e5, 1e6, 0.2, 0.01);
    const auto slope = [&](double u) {
      const auto law = [&](double at) { return group_excess_integral(s, 1e5, 1, at, 1e6, 0.2); };
      return std::log(law(u * 1.001) / law(u / 1.001)) / (2 * std::log(1.001));
    };
    CAPTURE(s, window.low, window.high);
    CHECK(slope(window.low) == Approx(-q).margin(0.011).epsilon(0));
    CHECK(slope(std::sqrt(window.low * window.high)) == Approx(-q).margin(0.01).epsilon(0));
    CHECK(slope(window.high) == Approx(-q - 0.01).margin(0.01).epsilon(0));
    CHECK(slope(100 * window.high) < -q - 0.02);
    CHECK(slope(1) > -q + 0.02);
    // Groups that have climbed to the optimum by then.
    CHECK(std::pow(window.low / (optimal_margin(1e6, 0.2) / right_answer_probability(1e6, 0.2)), 1 / s) >=
          window.done * (1 - 1e-12));
  }
  // Too few groups: nothing can be fitted.
  const GroupLawWindow narrow = group_law_window(2, 4, 1e6, 0.2, 0.05);
  CHECK(narrow.high < 2 * narrow.low);
}

TEST_CASE("numbers outside of the law are refused") {
  CHECK_THROWS_AS(flow_excess(10, 0.2, -1), std::invalid_argument);
  CHECK_THROWS_AS(excess_moment(1, 0, 1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(excess_moment(0.5, 1, 1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(group_excess_integral(1, 10, 1, 1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(group_excess_integral(2, 1, 1, 1, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(group_excess_integral(2, 10, 1, 0, 10, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(group_sum_slope(2, 10, 0), std::invalid_argument);
  CHECK_THROWS_AS(group_law_window(2, 10, 10, 0.2, 0.5), std::invalid_argument);
}
