/// ϱ of gradient descent, SignGD and Muon after one step against published and independent numbers.

#include "theory/one_step.hpp"

#include <catch2/catch.hpp>

#include "model/observation.hpp"
#include "model/symmetric_memory.hpp"
#include "one_step_cases.hpp"
#include "reference/decompositions.hpp"
#include "reference/one_step.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using namespace one_step_cases;

namespace {

OneStepRho<double> rho_of(const OneStepLogits<double>& logits, double epsilon = 0.1) {
  const auto rho = one_step_rho(logits, epsilon);
  REQUIRE(rho.has_value());
  return *rho;
}

SymmetricMatrix<double> coupled(double classes) {
  return coupled_sign_direction<double>(answer_block<double>(), query_block<double>(), classes);
}

double coupled_rho(double classes) {
  return rho_of(logits_of_direction(coupled(classes))).at_threshold.value;
}

/// Digits on which a double agrees with the same number in 50 digits.
double digits(double value, const Real50& exact) {
  return -std::log10(std::max(1e-20, static_cast<double>(abs(Real50(value) / exact - 1))));
}

}  // namespace

TEST_CASE("ϱ of one step is the known one at K = 30 to 900") {
  struct Known {
    double classes, muon, signs, gd;
  };
  const Known known =
      GENERATE(Known{30, 0.887109, 0.319717, 0.0465521}, Known{90, 0.895132, 0.306076, 0.0167779},
               Known{300, 0.898315, 0.287831, 0.00544911}, Known{900, 0.899365, 0.207842, 0.00194824});
  CAPTURE(known.classes);
  const ClassGroups groups = two_level(known.classes);
  // The tolerance is the last digit of the known numbers.
  const auto muon = rho_of(logits_of_direction(muon_direction<double>(groups)));
  CHECK(muon.at_threshold.value == Approx(known.muon).margin(6e-7).epsilon(0));
  CHECK(muon.infimum.value == muon.at_threshold.value);
  CHECK_FALSE(muon.lost_cell.has_value());
  CHECK(coupled_rho(known.classes) == Approx(known.signs).margin(6e-7).epsilon(0));
  const auto gd = rho_gd<double>(known.classes, 1 / 16.0, 0.1);
  CHECK(gd.value == Approx(known.gd).epsilon(3e-6));
}

TEST_CASE("ϱ through the symmetric direction equals a dense long double computation at K = 30") {
  const ClassGroups groups = two_level(30);
  const Matrix x = dense_residual(groups);
  const Matrix muon = reference::svd(x).polar(29);
  const Matrix answers = repeated(answer_block<double>(), 30), queries = repeated(query_block<double>(), 30);
  const Matrix ambient = answers * x * queries.transpose();
  const Matrix signs = answers.transpose() * ambient.cwiseSign() * queries;
  struct Case {
    const char* name;
    Matrix dense;
    SymmetricMatrix<double> direction;
  };
  for (const Case& c :
       {Case{"gd", x, gd_direction<double>(groups)}, Case{"muon", muon, muon_direction<double>(groups)},
        Case{"signs", signs, coupled(30)}}) {
    CAPTURE(c.name);
    for (const double epsilon : {0.3, 0.1, 1e-3}) {
      const auto rho = rho_of(logits_of_direction(c.direction), epsilon);
      const long double threshold = first_admissible(c.dense, epsilon);
      CHECK(rho.threshold == Approx(double(threshold)).epsilon(1e-12));
      CHECK(rho.at_threshold.value == Approx(double(least_right_answer(c.dense, threshold))).epsilon(1e-11));
      // The dense description of the same step.
      const auto dense = rho_of(logits_of_direction<double>(c.dense), epsilon);
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
      CHECK(rho.infimum.value == rho.at_threshold.value);
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
  CHECK(rho.at_threshold.value == Approx(rho_signgd_decoupled(0.01).value).epsilon(1e-14));
  CHECK(rho.at_threshold.complement == Approx(rho_signgd_decoupled(0.01).complement).epsilon(1e-13));
  CHECK(rho.infimum.value == rho.at_threshold.value);
}

TEST_CASE("coupled SignGD has the known margins and the sharp exponent 0.3557") {
  const auto margins = coupled_sign_margins<double>(answer_block<double>(), query_block<double>(), INFINITY);
  const double expected[] = {1.5933, 1.8318, 2.4730};
  Vector sorted = margins.to_others;
  std::sort(sorted.begin(), sorted.end());
  for (Index c = 0; c < 3; ++c) CHECK(sorted(c) == Approx(expected[c]).margin(5e-5).epsilon(0));
  CHECK(margins.ratio == Approx(0.6443).margin(5e-5).epsilon(0));
  CHECK(margins.exponent == Approx(1 - margins.ratio).epsilon(1e-15));
  // The wrong answer D_12 = 1.01329 beats the right one, D_22 = 1.00709.
  CHECK(margins.within(1) == Approx(1.00709 - 1.01329).margin(1e-5).epsilon(0));
  CHECK(margins.within(0) > 0);
  CHECK(margins.within(2) > 0);
}

TEST_CASE("a right answer that loses within its block decides the exponent where it loses by more") {
  const auto orthogonal = [](int draw) {
    return reference::orthonormal(reference::random_matrix(3, 3, "x", draw));
  };
  const auto margins = coupled_sign_margins<double>(orthogonal(208), orthogonal(209), INFINITY);
  double widest = 0;  // of the classes that win within their block
  for (Index c = 0; c < 3; ++c)
    if (margins.within(c) > 0) widest = std::max(widest, margins.to_others(c));
  REQUIRE(1 - margins.to_others.minCoeff() / widest < -margins.within.minCoeff() / widest);
  CHECK(margins.exponent == Approx(-margins.within.minCoeff() / widest).epsilon(1e-14));
}

TEST_CASE("coupled SignGD approaches its exponent slowly, along the known local slopes") {
  struct Known {
    double from, to, slope;
  };
  const Known known =
      GENERATE(Known{300, 3000, -0.3055}, Known{3e6, 3e7, -0.3446}, Known{3e14, 3e15, -0.3440},
               Known{3e20, 3e40, -0.3495}, Known{3e100, 3e200, -0.3557});
  CAPTURE(known.from);
  const double slope =
      std::log(coupled_rho(known.to) / coupled_rho(known.from)) / std::log(known.to / known.from);
  CHECK(slope == Approx(known.slope).margin(6e-5).epsilon(0));
}

TEST_CASE("the infimum of coupled SignGD is 0, because a wrong answer of the own block wins") {
  const auto logits = logits_of_direction(coupled(300));
  const auto rho = rho_of(logits);
  CHECK(rho.lost_cell == Index{1});
  CHECK(rho.infimum.value == 0);
  CHECK(rho.infimum.complement == 1);
  CHECK(rho.at_threshold.value == Approx(0.287831).margin(6e-7).epsilon(0));
  CHECK(least_probability(logits, 50 * rho.threshold).value == Approx(0.2874).margin(5e-5).epsilon(0));
  CHECK(least_probability(logits, 1e5 * rho.threshold).value < 1e-100);
}

TEST_CASE("what a memory reports of error and loss is all the search needs") {
  const SymmetricMatrix<double> signs = coupled(30);
  const SymmetricMemory<double> memory({ClassGroups{{30}, {1 / 30.0}}, 0}, 3, {}, {});
  OneStepLogits<double> measured;
  const auto observe = [&](double step_size) {
    SymmetricMatrix<double> w = memory.zero();
    combine(w, 0, step_size, signs);
    Observation observation;
    memory.evaluate(w, nullptr, &observation, Workers::serial());
    return observation;
  };
  measured.log_odds = [&](const double& step_size) {
    const Observation seen = observe(step_size);
    VectorOf<double> log_odds(3);
    for (Index c = 0; c < 3; ++c) log_odds(c) = std::log(seen.error[c]) + seen.excess_loss[c];
    return log_odds;
  };
  const Observation seen = observe(1);
  measured.margin = Eigen::Map<const Vector>(seen.advantage.data(), 3);
  const auto rho = rho_of(measured), predicted = rho_of(logits_of_direction(signs));
  CHECK(rho.threshold == Approx(predicted.threshold).epsilon(1e-13));
  CHECK(rho.at_threshold.value == Approx(predicted.at_threshold.value).epsilon(1e-12));
  CHECK(rho.lost_cell == predicted.lost_cell);
}

TEST_CASE("one step in doubles has 12 digits of the one in 50 digits up to K = 1e15, 11 at 1e100") {
  for (const double classes : {30.0, 9e5, 3e15, 3e100}) {
    const double enough = classes < 1e20 ? 12 : 11;  // log-odds of 230 rounded to doubles
    const auto exact = one_step_rho(logits_of_direction(coupled_sign_direction<Real50>(
                                        answer_block<Real50>(), query_block<Real50>(), classes)),
                                    Real50(0.1));
    const auto rho = rho_of(logits_of_direction(coupled(classes)));
    CAPTURE(classes);
    CHECK(digits(rho.threshold, exact->threshold) > enough);
    CHECK(digits(rho.at_threshold.value, exact->at_threshold.value) > enough);
    const ClassGroups groups = two_level(classes);
    const auto muon = rho_of(logits_of_direction(muon_direction<double>(groups)));
    const auto muon_exact = one_step_rho(logits_of_direction(muon_direction<Real50>(groups)), Real50(0.1));
    CHECK(digits(muon.at_threshold.value, muon_exact->at_threshold.value) > enough);
    CHECK(digits(muon.at_threshold.complement, muon_exact->at_threshold.complement) > enough);
    CHECK(digits(rho_gd<double>(classes, 1 / 16.0, 0.1).value, rho_gd<Real50>(classes, 1 / 16.0, 0.1).value) >
          15);
  }
}
