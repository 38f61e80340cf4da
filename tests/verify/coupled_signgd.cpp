#include "verify/wang2025/coupled_signgd.hpp"

#include <catch2/catch.hpp>

#include "model/observation.hpp"
#include "model/symmetric_layout.hpp"
#include "reference/decompositions.hpp"
#include "reference/one_step.hpp"
#include "reference/one_step_cases.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using namespace rarefact::checks::wang2025;
using namespace one_step_cases;

namespace {

/// Every value as often as it occurs, descending.
template <class Real>
std::vector<double> written_out(const SingularValuesOf<Real>& spectrum) {
  std::vector<double> all;
  for (std::size_t i = 0; i < spectrum.values.size(); ++i)
    all.insert(all.end(), static_cast<std::size_t>(spectrum.multiplicities[i]), double(spectrum.values[i]));
  return all;
}

void check_equal(const std::vector<double>& values, const Vector& dense, double tolerance) {
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(dense(static_cast<Index>(i))).margin(tolerance * dense(0)).epsilon(0));
}

Vector dense_values(const Matrix& x) {
  return reference::svd(x).values;
}

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

}  // namespace

TEST_CASE("ϱ of coupled SignGD's first step is the known one at K = 30 to 900") {
  // The tolerance is the last digit of the known numbers.
  for (const auto& [classes, known] :
       {std::pair{30.0, 0.319717}, {90.0, 0.306076}, {300.0, 0.287831}, {900.0, 0.207842}})
    CHECK(coupled_rho(classes) == Approx(known).margin(6e-7).epsilon(0));
}

TEST_CASE("ϱ of coupled SignGD equals a dense long double computation at K = 30") {
  const Matrix answers = repeated(answer_block<double>(), 30), queries = repeated(query_block<double>(), 30);
  const Matrix ambient = answers * dense_residual(two_level(30)) * queries.transpose();
  const Matrix signs = answers.transpose() * ambient.cwiseSign() * queries;
  for (const double epsilon : {0.3, 0.1, 1e-3}) {
    const auto rho = rho_of(logits_of_direction(coupled(30)), epsilon);
    const long double threshold = first_admissible(signs, epsilon);
    CHECK(rho.threshold == Approx(double(threshold)).epsilon(1e-12));
    CHECK(rho.at_threshold.value == Approx(double(least_right_answer(signs, threshold))).epsilon(1e-11));
  }
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

TEST_CASE("coupled SignGD in doubles has 12 digits of itself in 50 digits up to K = 1e15, 11 at 1e100") {
  for (const double classes : {30.0, 9e5, 3e15, 3e100}) {
    const double enough = classes < 1e20 ? 1e-12 : 1e-11;  // log-odds of 230 rounded to doubles
    const auto exact = one_step_rho(logits_of_direction(coupled_sign_direction<Real50>(
                                        answer_block<Real50>(), query_block<Real50>(), classes)),
                                    Real50(0.1));
    const auto rho = rho_of(logits_of_direction(coupled(classes)));
    CAPTURE(classes);
    CHECK(rho.threshold == Approx(double(exact->threshold)).epsilon(enough));
    CHECK(rho.at_threshold.value == Approx(double(exact->at_threshold.value)).epsilon(enough));
  }
}

TEST_CASE("the update of coupled SignGD has the known bulk, and one value that grows as K") {
  const Matrix answers = answer_block<double>(), queries = query_block<double>();
  for (const double classes : {30.0, 90.0, 1e6, 3e15, 3e100}) {
    const auto spectrum = sign_update_spectrum<double>(answers, queries, classes);
    CAPTURE(classes);
    double total = 1;
    std::vector<double> bulk;
    for (std::size_t i = 0; i < spectrum.bulk.values.size(); ++i) {
      total += spectrum.bulk.multiplicities[i];
      if (spectrum.bulk.multiplicities[i] > 1) bulk.push_back(spectrum.bulk.values[i]);
    }
    CHECK(total == Approx(classes).epsilon(1e-15));
    REQUIRE(bulk.size() == 3);
    CHECK(bulk[0] == Approx(4.4940).margin(5e-5).epsilon(0));
    CHECK(bulk[1] == Approx(1.6039).margin(5e-5).epsilon(0));
    CHECK(bulk[2] == Approx(1.1099).margin(5e-5).epsilon(0));
    CHECK(bulk[2] / bulk[0] == Approx(0.24698).margin(5e-6).epsilon(0));
    // Two more values occur once each. At K = 30 one of them is the least of all.
    CHECK(spectrum.bulk.values.size() == 5);
    CHECK(spectrum.ratio() == Approx(classes == 30 ? 0.234822 : bulk[2] / bulk[0]).margin(5e-7).epsilon(0));
    CHECK(spectrum.all_ones == Approx(classes - 4).margin(10 / classes + 1e-15 * classes).epsilon(0));
  }
}

TEST_CASE("the spectrum of the sign update is that of the dense matrix at K = 30") {
  const Matrix answers = answer_block<double>(), queries = query_block<double>();
  const Matrix ambient =
      repeated(answers, 30) * dense_residual(two_level(30)) * repeated(queries, 30).transpose();
  const Vector dense = dense_values(ambient.cwiseSign());
  const auto spectrum = sign_update_spectrum<double>(answers, queries, 30);
  std::vector<double> values = written_out(spectrum.bulk);
  values.insert(values.begin(), spectrum.all_ones);
  REQUIRE(values.size() == 30);
  check_equal(values, dense, 1e-14);
}

TEST_CASE("the small values of the sign update keep 15 digits beside one of 1e100") {
  const auto doubles = sign_update_spectrum<double>(answer_block<double>(), query_block<double>(), 3e100);
  const auto exact = sign_update_spectrum<Real50>(answer_block<Real50>(), query_block<Real50>(), 3e100);
  REQUIRE(doubles.bulk.values.size() == exact.bulk.values.size());
  for (std::size_t i = 0; i < exact.bulk.values.size(); ++i) {
    CHECK(doubles.bulk.values[i] == Approx(double(exact.bulk.values[i])).epsilon(2e-15));
    CHECK(doubles.bulk.multiplicities[i] == exact.bulk.multiplicities[i]);
  }
  CHECK_THROWS_AS(sign_update_spectrum<double>(answer_block<double>(), Matrix::Identity(2, 2), 30),
                  std::invalid_argument);
  CHECK_THROWS_AS(sign_update_spectrum<double>(answer_block<double>(), query_block<double>(), INFINITY),
                  std::invalid_argument);
}
