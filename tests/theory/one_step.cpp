/// ϱ of gradient descent and Muon after one step against published and independent numbers.

#include "theory/one_step.hpp"

#include <catch2/catch.hpp>

#include "reference/decompositions.hpp"
#include "reference/one_step.hpp"
#include "reference/one_step_cases.hpp"

using namespace rarefact;
using namespace one_step_cases;

namespace {

OneStepRho<double> rho_of(const OneStepLogits<double>& logits, double epsilon = 0.1) {
  const auto rho = one_step_rho(logits, epsilon);
  REQUIRE(rho.has_value());
  return *rho;
}

/// Digits on which a double agrees with the same number in 50 digits.
double digits(double value, const Real50& exact) {
  return -std::log10(std::max(1e-20, static_cast<double>(abs(Real50(value) / exact - 1))));
}

}  // namespace

TEST_CASE("ϱ through the symmetric direction equals a dense long double computation at K = 30") {
  const ClassGroups groups = two_level(30);
  const Matrix x = dense_residual(groups);
  const Matrix muon = reference::svd(x).polar(29);
  struct Case {
    const char* name;
    Matrix dense;
    SymmetricMatrix<double> direction;
  };
  for (const Case& c :
       {Case{"gd", x, gd_direction<double>(groups)}, Case{"muon", muon, muon_direction<double>(groups)}}) {
    CAPTURE(c.name);
    for (const double epsilon : {0.3, 0.1, 1e-3}) {
      const auto rho = rho_of(logits_of_direction(c.direction), epsilon);
      const long double threshold = first_admissible(c.dense, epsilon);
      CHECK(rho.threshold == Approx(double(threshold)).epsilon(1e-12));
      CHECK(rho.at_threshold.value == Approx(double(min_right_answer(c.dense, threshold))).epsilon(1e-11));
      // The dense description of the same step.
      const auto dense = rho_of(logits_of_direction(DenseMatrix{c.dense}), epsilon);
      CHECK(dense.threshold == Approx(rho.threshold).epsilon(1e-12));
      CHECK(dense.at_threshold.value == Approx(rho.at_threshold.value).epsilon(1e-11));
      CHECK(dense.at_threshold.complement == Approx(rho.at_threshold.complement).epsilon(1e-11));
    }
  }
}

TEST_CASE("gradient descent's closed form is both the threshold and the infimum of its direction") {
  for (const double classes : {10.0, 1e6, 1e15, 1e100}) {
    for (const double epsilon : {0.4, 0.1, 1e-8, 1e-60}) {
      const ClassGroups groups = two_level(classes);
      const double r = groups.probability[1] / groups.probability[0];
      const auto closed = rho_gd<double>(classes, r, epsilon);
      const auto rho = rho_of(logits_of_direction(gd_direction<double>(groups)), epsilon);
      VectorOf<double> margins(2);
      margins << groups.probability[0], groups.probability[1];
      const auto by_margins = rho_of(logits_of_margins<double>(margins, classes), epsilon);
      CAPTURE(classes, epsilon);
      // Log-odds up to 370 rounded to doubles.
      CHECK(rho.at_threshold.value == Approx(closed.value).epsilon(3e-13));
      CHECK(rho.infimum == rho.at_threshold.value);
      CHECK(by_margins.at_threshold.value == Approx(closed.value).epsilon(3e-13));
      CHECK(by_margins.at_threshold.complement == Approx(closed.complement).epsilon(3e-13));
    }
  }
}

TEST_CASE("gradient descent's closed form keeps 15 digits from K = 2 to 1e300 and at any ε") {
  for (const double classes : {2.0, 3.0, 1e15, 1e100, 1e300}) {
    for (const double r : {1e-300, 1e-9, 1 / 16.0, 0.7, 1.0}) {
      for (const double epsilon : {1e-300, 1e-12, 0.1, 0.5, 1 - 1e-12}) {
        const Real50 others = Real50(classes) - 1, odds = Real50(epsilon) / (1 - Real50(epsilon));
        const Real50 wrong = exp((1 - Real50(r)) * log(others) + Real50(r) * log(odds));
        const auto rho = rho_gd<double>(classes, r, epsilon);
        CAPTURE(classes, r, epsilon);
        CHECK(digits(rho.value, 1 / (1 + wrong)) > 14.9);
        CHECK(digits(rho.complement, wrong / (1 + wrong)) > 14.9);
        CHECK(digits(rho.value, rho_gd<Real50>(classes, r, epsilon).value) > 14.9);
      }
    }
  }
  CHECK_THROWS_AS(rho_gd<double>(1, 0.5, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(rho_gd<double>(10, 0, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(rho_gd<double>(10, 1.1, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(rho_gd<double>(10, 0.5, 1), std::invalid_argument);
}

TEST_CASE("decoupled SignGD keeps every class at 1 - ε") {
  const auto rho = rho_of(logits_of_margins<double>(VectorOf<double>::Constant(3, 2.0), 1e12), 0.01);
  CHECK(rho.at_threshold.value == Approx(0.99).epsilon(1e-14));
  CHECK(rho.at_threshold.complement == Approx(0.01).epsilon(1e-13));
  CHECK(rho.infimum == rho.at_threshold.value);
}

TEST_CASE("one step in doubles has 12 digits of the one in 50 digits up to K = 1e15, 11 at 1e100") {
  for (const double classes : {30.0, 9e5, 3e15, 3e100}) {
    const double enough = classes < 1e20 ? 12 : 11;  // log-odds of 230 rounded to doubles
    CAPTURE(classes);
    const ClassGroups groups = two_level(classes);
    const auto muon = rho_of(logits_of_direction(muon_direction<double>(groups)));
    const auto muon_exact = one_step_rho(logits_of_direction(muon_direction<Real50>(groups)), Real50(0.1));
    CHECK(digits(muon.at_threshold.value, muon_exact->at_threshold.value) > enough);
    CHECK(digits(muon.at_threshold.complement, muon_exact->at_threshold.complement) > enough);
    CHECK(digits(rho_gd<double>(classes, 1 / 16.0, 0.1).value, rho_gd<Real50>(classes, 1 / 16.0, 0.1).value) >
          15);
  }
}
