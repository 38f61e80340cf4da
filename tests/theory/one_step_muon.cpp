/// msgn of the first residual against a dense singular value decomposition and against its closed form.

#include <catch2/catch.hpp>

#include "reference/decompositions.hpp"
#include "reference/expand.hpp"
#include "reference/one_step.hpp"
#include "reference/one_step_cases.hpp"
#include "theory/one_step.hpp"

using namespace rarefact;
using namespace one_step_cases;

namespace {

template <class Real>
double distance(const SymmetricMatrix<Real>& a, const SymmetricMatrix<Real>& b) {
  return static_cast<double>(
      std::max(Real((a.diagonal_entries() - b.diagonal_entries()).cwiseAbs().maxCoeff()),
               Real((a.off_entries() - b.off_entries()).cwiseAbs().maxCoeff())));
}

SymmetricMatrix<double> rounded(const SymmetricMatrix<Real50>& x) {
  SymmetricMatrix<double> y(x.shared_structure());
  y.diagonal_entries() = x.diagonal_entries().cast<double>();
  y.off_entries() = x.off_entries().cast<double>();
  return y;
}

ClassGroups normalised_groups(std::vector<double> count, std::vector<double> weight) {
  double sum = 0;
  for (std::size_t i = 0; i < count.size(); ++i) sum += count[i] * weight[i];
  for (double& w : weight) w /= sum;
  return {std::move(count), std::move(weight)};
}

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

TEST_CASE("the directions of GD and Muon written out are X and its dense polar factor") {
  for (const ClassGroups& groups :
       {two_level(30), normalised_groups({1, 5, 1, 12}, {90, 7, 3, 0.1}), normalised_groups({7}, {1}),
        normalised_groups({1, 1, 1, 1, 1, 1}, {32, 16, 8, 4, 2, 1})}) {
    const Matrix x = dense_residual(groups);
    const Matrix polar = reference::svd(x).polar(x.rows() - 1);
    CAPTURE(groups.count);
    CHECK((reference::expand(gd_direction<double>(groups)) - x).cwiseAbs().maxCoeff() < 1e-16);
    // The dense decomposition is off by eps σ_max/σ_min, up to 2e-13.
    CHECK((reference::expand(muon_direction<double>(groups)) - polar).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("a group of one block has no entry for a different block of its own") {
  const auto groups = normalised_groups({1, 5}, {3, 1});
  for (const auto& direction : {gd_direction<double>(groups), muon_direction<double>(groups)}) {
    CHECK(direction.off_block(0, 0)(0, 0) == 0);
    CHECK(direction.off_block(1, 1)(0, 0) != 0);
  }
}

TEST_CASE("for two groups the general polar factor is the closed form of rank one") {
  for (const double classes : {5.0, 30.0, 1e4, 1e15, 1e100}) {
    for (const double mass : {0.3, 0.8, 0.999}) {
      const ClassGroups groups = two_level(classes, 0.2, mass);
      CAPTURE(classes, mass);
      CHECK(distance(muon_direction<double>(groups), muon_direction_of_two_groups<double>(groups)) < 1e-15);
      CHECK(distance(muon_direction<Real50>(groups), muon_direction_of_two_groups<Real50>(groups)) < 1e-49);
    }
  }
  CHECK_THROWS_AS(muon_direction_of_two_groups<double>({{1, 2, 3}, {0.5, 0.1, 0.1}}), std::invalid_argument);
}

TEST_CASE("msgn in doubles has 14 digits of msgn in 50, also where one group holds nearly all classes") {
  for (const ClassGroups& groups :
       {normalised_groups({1, 1e15}, {1e15, 1}), normalised_groups({1, 3, 1e6, 1e15}, {1e9, 1e3, 1e2, 1}),
        normalised_groups({1e15, 1e6, 1, 1}, {1e12, 1e7, 1e3, 1}),
        normalised_groups({1, 1, 1e100}, {4, 2, 1})}) {
    CAPTURE(groups.count);
    CHECK(distance(muon_direction<double>(groups), rounded(muon_direction<Real50>(groups))) < 1e-14);
  }
}

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
