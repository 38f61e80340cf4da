#include "model/quadrature_rule.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "model/spectrum.hpp"

using namespace rarefact;

namespace {

/// Σ_{k=a..b} k^-s by Euler and Maclaurin, in long double; the next term is below 1e-20 for a >= 1000.
long double tail(long double a, long double b, long double s) {
  const long double integral = s == 1 ? std::log(b / a) : (std::pow(b, 1 - s) - std::pow(a, 1 - s)) / (1 - s);
  const auto f = [&](long double x) { return std::pow(x, -s); };
  const auto f1 = [&](long double x) { return -s * std::pow(x, -s - 1); };
  const auto f3 = [&](long double x) { return -s * (s + 1) * (s + 2) * std::pow(x, -s - 3); };
  return integral + (f(a) + f(b)) / 2 + (f1(b) - f1(a)) / 12 - (f3(b) - f3(a)) / 720;
}

long double power_sum(double classes, double s) {
  long double sum = 0;
  const double head = std::min(classes, 1000.0);
  for (double k = 1; k < head; ++k)
    sum += std::pow(static_cast<long double>(k), -static_cast<long double>(s));
  return sum + (classes > 1000 ? tail(1000, classes, s) : std::pow(static_cast<long double>(classes), -s));
}

SmoothLaw power(double classes, double s) {
  return {classes, [=](double k) { return std::pow(k, -s); }};
}

}  // namespace

TEST_CASE("panel rules sum k^-s and k^(1-s) to 1e-14 of Euler-Maclaurin for K from 50 to 1e300") {
  for (const double classes : {50.0, 333.0, 1e3, 65536.0, 1e6, 1e12, 1e15, 1e100, 1e300}) {
    for (const double s : {-0.5, 0.0, 0.2, 0.5, 1.0, 1.2, 2.0, 3.0}) {
      CAPTURE(classes, s);
      if (s < 0 && classes > 1e200) continue;  // the sum itself is beyond doubles
      CHECK(weight_of_ranks(power(classes, s), classes) ==
            Approx(static_cast<double>(power_sum(classes, s))).epsilon(1e-14).margin(0));
    }
  }
}

TEST_CASE("a panel of q nodes sums polynomials of degree 2q - 1 in the rank exactly, and of 2q not") {
  // One panel of the integers 9..16 (order 4 after a head of 8), then 17 by itself: Σ (k - 12)^n over both.
  const QuadratureRule rule = panel_rule(17, 4);
  const auto panel_sum = [&](int power_of) {
    double sum = 0;
    for (std::size_t i = 8; i < rule.size(); ++i)
      sum += rule.count[i] * std::pow(rule.rank[i] - 12, power_of);
    return sum;
  };
  const auto integer_sum = [](int power_of) {
    double sum = 0;
    for (int k = 9; k <= 17; ++k) sum += std::pow(k - 12, power_of);
    return sum;
  };
  REQUIRE(rule.size() == 13);
  for (int n = 0; n <= 7; ++n) CHECK(panel_sum(n) == Approx(integer_sum(n)).epsilon(1e-13).margin(1e-10));
  CHECK(std::abs(panel_sum(8) - integer_sum(8)) > 1);
}

TEST_CASE("the first and the last item are nodes of their own at any number of items") {
  for (const double items : {1.0, 2.0, 33.0, 64.0, 65.0, 66.0, 1000.0, 1e12, 1e300}) {
    const QuadratureRule rule = panel_rule(items, usual_panel_order);
    CAPTURE(items);
    CHECK(rule.rank.front() == 1);
    CHECK(rule.rank.back() == items);
    CHECK(rule.count.back() == 1);
    CHECK(std::is_sorted(rule.rank.begin(), rule.rank.end()));
    CHECK(std::accumulate(rule.count.begin(), rule.count.end(), 0.0) == Approx(items).epsilon(1e-14));
  }
}

TEST_CASE("few classes are nodes themselves") {
  const QuadratureRule rule = panel_rule(40, 16);
  CHECK(rule.exact);
  REQUIRE(rule.size() == 40);
  CHECK(rule.rank.back() == 40);
  CHECK(gauss_rule(40, 64).exact);
  CHECK_FALSE(gauss_rule(40, 8).exact);
}

TEST_CASE("compressed rules keep the number of classes, weights of at least one, and ranks in order") {
  for (const double classes : {100.0, 1e3, 1e6, 1e12, 1e15}) {
    for (const Index nodes : {2, 8, 32, 64, 200}) {
      CAPTURE(classes, nodes);
      const QuadratureRule rule = gauss_rule(classes, nodes);
      double sum = 0;
      for (const double n : rule.count) sum += n;
      // K itself is e^x under the weight 1/k, so it takes some nodes to be summed.
      if (nodes >= 32) CHECK(sum == Approx(classes).epsilon(1e-13));
      CHECK(*std::min_element(rule.count.begin(), rule.count.end()) >= 1);
      CHECK(std::is_sorted(rule.rank.begin(), rule.rank.end()));
      CHECK(rule.rank.front() >= 1);
      CHECK(rule.rank.back() <= classes);
      if (!rule.exact) CHECK(static_cast<Index>(rule.size()) == nodes);
    }
  }
}

TEST_CASE("interpolation between nodes finds a smooth function at the classes, the first and last included") {
  const auto f = [](double rank) {
    return std::log1p(30 * std::pow(rank, -0.4)) * std::sin(0.3 * std::log(rank));
  };
  for (const double classes : {1e3, 1e12}) {
    const QuadratureRule rule = gauss_rule(classes, 48);
    const std::vector<double> ranks = {1, 2, 3, 7, 20, 55, 777, classes - 1, classes};
    Vector values(48);
    for (Index i = 0; i < 48; ++i) values(i) = f(rule.rank[i]);
    const Vector found = interpolation_weights(rule, ranks) * values;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      CAPTURE(classes, ranks[i]);
      CHECK(found(static_cast<Index>(i)) == Approx(f(ranks[i])).epsilon(1e-11).margin(1e-11));
    }
  }
}

TEST_CASE("smooth spectra follow their formulas") {
  const Spectrum mandelbrot =
      spectrum_of("zipf_mandelbrot", {{"count", 100.0}, {"exponent", 1.3}, {"shift", 2.5}}, {});
  REQUIRE(mandelbrot.groups);
  CHECK(mandelbrot.groups->probability[9] / mandelbrot.groups->probability[0] ==
        Approx(std::pow(12.5 / 3.5, -1.3)).epsilon(1e-14));
  const Spectrum normal =
      spectrum_of("log_normal", {{"count", 100.0}, {"location", 1.0}, {"width", 1.5}}, {});
  const auto density = [](double k) { return std::exp(-std::pow(std::log(k) - 1, 2) / (2 * 1.5 * 1.5)) / k; };
  CHECK(normal.groups->probability[9] / normal.groups->probability[0] ==
        Approx(density(10) / density(1)).epsilon(1e-14));
  double sum = 0;
  for (const double p : normal.groups->probability) sum += p;
  CHECK(sum == Approx(1).epsilon(1e-14));
}

TEST_CASE("distinct classes beyond memory are a law without groups; a law of exponent 0 is one group") {
  const Spectrum many = spectrum_of("power_law", {{"count", 1e15}, {"exponent", 1.2}}, {});
  CHECK_FALSE(many.groups);
  CHECK(many.law);
  CHECK(many.classes == 1e15);
  const Spectrum flat = spectrum_of("power_law", {{"count", 1e15}, {"exponent", 0.0}}, {});
  CHECK_FALSE(flat.law);
  REQUIRE(flat.groups);
  CHECK(flat.groups->size() == 1);
}
