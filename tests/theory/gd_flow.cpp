#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "model/margin.hpp"
#include "plain.hpp"

using namespace rarefact;

namespace {

/// Margins of the flow at the given steps of size η for one class.
std::vector<double> flow(double probability, double total, double noise, double step_size,
                         std::vector<std::int64_t> steps) {
  const auto input = plain::input("gd", total, noise, step_size, {probability});
  REQUIRE_FALSE(plain::row("gd-flow").objection(input));
  return plain::margins("gd-flow", input, steps);
}

/// The margins at the given times, in units of the class's own time (K-1)/(p K), from dm/dτ = π₁ - p̂(m): a
/// method of order 8 in extended precision. Rates are at most 1/4, so steps of 1/16 leave errors below 1e-16.
std::vector<double> integrate(double total, double noise, const std::vector<std::int64_t>& times) {
  namespace odeint = boost::numeric::odeint;
  using State = std::vector<long double>;
  const long double others = total - 1.0L, wrong = noise * (others / total);
  const auto slope = [&](const State& m, State& rate, long double) {
    const long double odds = others * std::exp(-m[0]);
    rate[0] = (odds - wrong * (1 + odds)) / (1 + odds);
  };
  odeint::runge_kutta_fehlberg78<State, long double> method;
  State margin{0};
  std::vector<double> margins;
  std::int64_t done = 0;
  for (const std::int64_t time : times) {
    for (; done < 16 * time; ++done) method.do_step(slope, margin, 0.0L, 1 / 16.0L);
    margins.push_back(static_cast<double>(margin[0]));
  }
  return margins;
}

}  // namespace

TEST_CASE("the gradient flow equals an integration of its differential equation") {
  const double total = GENERATE(2.0, 64.0, 1e6, 1e15);
  const double noise = GENERATE(0.0, 1e-9, 0.1, 0.9);
  const std::vector<std::int64_t> times{1, 5, 20, 33, 36, 60, 300, 1000};
  const auto expected = integrate(total, noise, times);
  const double unit = (total - 1) / (total * 0.25);
  const auto margins = flow(0.25, total, noise, unit, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    CAPTURE(total, noise, times[i]);
    // The roundings of K, p and t, and of m* - δ.
    CHECK(margins[i] ==
          Approx(expected[i]).epsilon(2e-15).margin(1e-15 * std::log(total / std::max(noise, 1e-9))));
  }
}

TEST_CASE("the noisy flow inverts the published implicit equation for the time") {
  const double total = GENERATE(2.0, 64.0, 1e15, 1e300);
  const double noise = GENERATE(1e-100, 1e-9, 0.1, 0.999);
  const double optimum = optimal_margin(total, noise);
  for (const double fraction : {1e-3, 0.1, 0.5, 0.9, 0.999}) {
    const plain::Real time = plain::time_of_margin(plain::Real(fraction) * optimum, 0.25, total, noise);
    CAPTURE(total, noise, fraction);
    // The 50 digits of the reference do not survive 1/(1-π₁) = 1e100: those cases are the next test's.
    if (noise > 1e-20) {
      CHECK(flow(0.25, total, noise, static_cast<double>(time), {1})[0] ==
            Approx(fraction * optimum).epsilon(1e-14).margin(1e-15 * optimum));
    }
  }
}

TEST_CASE("vanishing label noise leaves the noiseless flow") {
  for (const double total : {2.0, 64.0, 1e15, 1e300}) {
    for (const std::int64_t step : {1, 10, 100, 1000, 100000}) {
      CAPTURE(total, step);
      CHECK(flow(1, total, 1e-100, 1, {step})[0] == Approx(flow(1, total, 0, 1, {step})[0])
                                                        .epsilon(1e-15)
                                                        .margin(1e-15 * optimal_margin(total, 1e-100)));
    }
  }
}

TEST_CASE(
    "the flow stays finite, starts at zero and never falls, at every time and every number of classes") {
  std::vector<std::int64_t> steps{0};
  for (double t = 1; t < 9e18; t *= 1.5)
    steps.push_back(std::max(steps.back() + 1, static_cast<std::int64_t>(t)));
  steps.push_back(std::numeric_limits<std::int64_t>::max());
  for (const double total : {2.0, 64.0, 1e15, 1e100, 1e300}) {
    for (const double noise : {0.0, 1e-300, 1e-20, 0.1, 0.999999}) {
      for (const double step_size : {1e-6, 1.0, 1e250}) {
        const auto margins = flow(1 / total, total, noise, step_size, steps);
        CAPTURE(total, noise, step_size);
        CHECK(margins[0] == 0);
        bool good = true;
        for (std::size_t i = 1; i < margins.size(); ++i) {
          good = good && std::isfinite(margins[i]) && margins[i] <= optimal_margin(total, noise) &&
                 margins[i] >= margins[i - 1] - 3e-15 * optimal_margin(total, std::max(noise, 1e-300));
        }
        CHECK(good);
      }
    }
  }
}
