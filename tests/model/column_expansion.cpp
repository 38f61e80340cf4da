// The expansion of one column against its definition in 50 digits.

#include <catch2/catch.hpp>

#include "core/real50.hpp"
#include "model/directional_taylor.hpp"

using namespace rarefact;

namespace {

struct Case {
  std::vector<double> logit, change, times, target;
};

template <class Real>
void put(const Case& given, UpdatedColumn<Real>& column) {
  for (std::size_t k = 0; k < given.logit.size(); ++k) {
    const auto at = static_cast<Index>(k);
    column.logit(at) = given.logit[k];
    column.change(at) = given.change[k];
    column.times(at) = given.times[k];
    column.target(at) = given.target[k];
  }
}

template <class Real>
UpdatedColumn<Real> column_of(const Case& given) {
  UpdatedColumn<Real> column(static_cast<Index>(given.logit.size()));
  put(given, column);
  return column;
}

/// As it is written. The digits of `Real50` are enough for what cancels here.
DirectionalTaylor<Real50> plain(const Case& given, double x) {
  const std::size_t size = given.logit.size();
  std::vector<Real50> p;
  Real50 mass(0), all(0), mean(0), moved(0), even(0);
  for (std::size_t k = 0; k < size; ++k) {
    p.push_back(given.times[k] * exp(Real50(given.logit[k])));
    mass += p.back();
    all += given.times[k];
    even += Real50(given.times[k]) * given.change[k];
  }
  DirectionalTaylor<Real50> found;
  for (std::size_t k = 0; k < size; ++k) {
    p[k] /= mass;
    mean += p[k] * given.change[k];
    moved += p[k] * exp(Real50(-Real50(x) * given.change[k]));
    found.slope += (p[k] - Real50(given.times[k]) * given.target[k]) * given.change[k];
  }
  for (std::size_t k = 0; k < size; ++k) {
    const Real50 d = given.change[k] - mean, e = given.change[k] - even / all;
    found.variance += p[k] * d * d;
    found.spread += Real50(given.times[k]) * e * e;
  }
  found.remainder = log(moved) + x * mean - Real50(x) * x * found.variance / 2;
  return found;
}

double off(double found, const Real50& exact) {
  return static_cast<double>(abs(Real50((found - exact) / exact)));
}

}  // namespace

TEST_CASE("slope, variance, spread and remainder have the digits of a double, whatever is near 0 or 1") {
  const std::vector<Case> cases = {
      {{0, 0, 0}, {-0.7, 0.3, 0.3}, {1, 1, 58}, {1, 0, 0}},  // at W = 0
      {{0, 0}, {-1, 1e-14}, {1, 1e14}, {1, 0}},              // of very many answers
      {{0, 0}, {-1, 3e-19}, {1, 3e18}, {1, 0}},
      {{40, 0, 1}, {-1, 0.1, -0.2}, {1, 50, 3}, {1, 0, 0}},                 // learned
      {{1, 60, 2}, {-1, 0.5, 0.25}, {1, 1, 30}, {1, 0, 0}},                 // a wrong answer is
      {{2, 1, -1}, {-0.2, -0.5, 0.1}, {1, 2, 20}, {0.505, 0.1275, 0.012}},  // several, and noise
  };
  for (const double x : {1e-9, 1e-4, 0.009, 0.011, 0.3, 3.0, 20.0, 500.0}) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      CAPTURE(x, i);
      auto column = column_of<double>(cases[i]);
      auto column50 = column_of<Real50>(cases[i]);
      const DirectionalTaylor<double> found = expansion_of(column, x);
      const DirectionalTaylor<Real50> exact = plain(cases[i], x), precise = expansion_of(column50, Real50(x));
      CHECK(off(found.slope, exact.slope) < 2e-15);
      CHECK(off(found.variance, exact.variance) < 4e-15);
      CHECK(off(found.spread, exact.spread) < 2e-15);
      if (abs(exact.remainder) > Real50(1e-40)) CHECK(off(found.remainder, exact.remainder) < 2e-13);
      CHECK(off(found.remainder, precise.remainder) < 2e-13);
    }
  }
}

TEST_CASE("an update that e^y does not hold, and p̂ that a double does not") {
  // ln Σ p̂ e^y of one answer in e^1000 that gains 3000: 2000.
  const Case far = {{0, -1000}, {0, -1}, {1, 1}, {1, 0}};
  auto column = column_of<double>(far);
  CHECK(expansion_of(column, 3000.0).remainder == Approx(2000).epsilon(1e-14));
  const Case near = {{0, -800}, {0, -1}, {1, 1}, {1, 0}};
  column = column_of<double>(near);
  CHECK(expansion_of(column, 790.0).remainder ==
        Approx(std::exp(-10.0) - 0.5 * std::exp(-20.0)).epsilon(1e-9));
}

TEST_CASE("of columns of any length all entries count") {
  for (const Index size : {2, 37, 8, 16, 5}) {
    Case given;
    for (Index k = 0; k < size; ++k) {
      given.logit.push_back(std::cos(3.0 * static_cast<double>(k)));
      given.change.push_back(std::sin(2.0 * static_cast<double>(k)));
      given.times.push_back(1.0 + static_cast<double>(k % 3));
      given.target.push_back(k == 1 ? 0.5 : 0);
    }
    UpdatedColumn<double> column(size);
    put(given, column);
    for (const double x : {0.3, 2.0, 50.0}) {
      CAPTURE(size, x);
      CHECK(off(expansion_of(column, x).remainder, plain(given, x).remainder) < 1e-13);
    }
  }
}
