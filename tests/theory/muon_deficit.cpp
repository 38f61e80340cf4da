/// What Muon's ϱ lacks to 1-ε: the constant of ln K/K against the search at growing K.

#include <catch2/catch.hpp>

#include "reference/one_step_cases.hpp"
#include "theory/one_step.hpp"

using namespace rarefact;
using namespace one_step_cases;

namespace {

/// ((1-ϱ)/ε - 1) K/ln(K(1-ε)/ε) at K, in 50 digits.
double scaled_deficit(const ClassGroups& groups, double epsilon) {
  const auto rho = one_step_rho(logits_of_direction(muon_direction<Real50>(groups)), Real50(epsilon));
  const Real50 classes(groups.total()), odds = (1 - Real50(epsilon)) / epsilon;
  return static_cast<double>((rho->at_threshold.complement / epsilon - 1) * classes / log(classes * odds));
}

/// `size` classes to a share of one, as decreasing as i^-s.
ClassGroups many_groups(double size) {
  ClassGroups groups{{3 * size, size, 6 * size, 2 * size, 8 * size}, {}};
  double mass = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    groups.probability.push_back(std::pow(double(i + 1), -1.5));
    mass += groups.count[i] * groups.probability[i];
  }
  for (double& p : groups.probability) p /= mass;
  return groups;
}

}  // namespace

TEST_CASE("the constant of Muon's deficit is the known one for two levels") {
  // v = (0.8^½, -0.2^½) and p ∝ (16, 1) by hand, in 30 digits.
  CHECK(muon_deficit_constant<double>(two_level(1000), 0.1) == Approx(0.63224382).epsilon(1e-8));
  CHECK(static_cast<double>(muon_deficit_constant<Real50>(two_level(3e15), 0.1)) ==
        Approx(muon_deficit_constant<double>(two_level(30), 0.1)).epsilon(1e-14));
}

TEST_CASE("the constant is the limit of the deficit, and the distance to it falls as ln K/K") {
  const double epsilon = GENERATE(0.3, 0.1, 1e-3);
  const bool many = GENERATE(false, true);
  CAPTURE(epsilon, many);
  for (const double size : {2e2, 2e5, 2e8, 2e11, 2e14, 2e25}) {
    const ClassGroups groups = many ? many_groups(size) : two_level(5 * size);
    const double constant = muon_deficit_constant<double>(groups, epsilon);
    // Twice the second-order term of e^x, x = c ln(K(1-ε)/ε)/K; and the digits of the double.
    const double x = constant * std::log(groups.total() / epsilon) / groups.total();
    CHECK(scaled_deficit(groups, epsilon) == Approx(constant).epsilon(2 * x + 1e-13));
  }
}

TEST_CASE("equally likely classes leave Muon no deficit, and an impossible ε is refused") {
  CHECK(muon_deficit_constant<double>({{1e6}, {1e-6}}, 0.1) == 0);
  CHECK_THROWS_AS(muon_deficit_constant<double>(two_level(30), 0.0), std::invalid_argument);
  CHECK_THROWS_AS(muon_deficit_constant<double>(two_level(30), 1.0), std::invalid_argument);
}
