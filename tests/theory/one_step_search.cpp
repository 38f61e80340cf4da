/// The search behind ϱ on directions that no optimizer gives.

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "reference/one_step.hpp"
#include "reference/one_step_cases.hpp"
#include "reference/random_cases.hpp"
#include "theory/one_step.hpp"

using namespace rarefact;
using namespace one_step_cases;

namespace {

/// Gaussian logits with right answers lifted by `lift`.
Matrix random_direction(Index classes, double lift, std::uint64_t seed) {
  const RandomStream random(seed, "direction");
  Matrix d(classes, classes);
  for (Index i = 0; i < d.size(); ++i) d.data()[i] = random.normal(0, std::uint64_t(i));
  d.diagonal().array() += lift;
  return d;
}

OneStepLogits<double> logits_of(const Matrix& direction) {
  return logits_of_direction(DenseMatrix{direction});
}

}  // namespace

TEST_CASE("no admissible step size beats the infimum, and a march finds the threshold") {
  int lost = 0, kept = 0, none = 0;
  const reference::RandomCases cases(14, 70);
  for (int seed = 0; seed < cases.count; ++seed) {
    const Matrix d = random_direction(6, seed % 7 < 3 ? 1.5 : seed % 7 < 6 ? 4 : -2, cases[seed]);
    const double epsilon = seed % 2 == 0 ? 0.1 : 0.45;
    const auto rho = one_step_rho(logits_of(d), epsilon);
    CAPTURE(seed);
    if (!rho) {
      ++none;
      for (long double eta = 0.1L; eta < 1e4L; eta *= 1.1L) {
        const auto right = right_answers(d, eta);
        CHECK(*std::max_element(right.begin(), right.end()) <= 0.5L);
      }
      continue;
    }
    const long double threshold = first_admissible(d, epsilon);
    CHECK(rho->threshold == Approx(double(threshold)).epsilon(1e-11));
    CHECK(rho->at_threshold.value == Approx(double(min_right_answer(d, threshold))).epsilon(1e-10));
    long double least = 1;
    for (long double eta = threshold; eta < 1e5L; eta *= 1.1L)
      least = std::min(least, min_right_answer(d, eta));
    CHECK(double(least) == Approx(rho->infimum).epsilon(1e-10).margin(1e-3));
    CHECK(double(least) >= rho->infimum * (1 - 1e-10));
    (rho->infimum == 0 ? lost : kept) += 1;
  }
  CHECK(lost > cases.count / 7);
  CHECK(kept > cases.count / 7);
  CHECK(none > 0);
}

TEST_CASE("ties never make larger steps worse") {
  // The second class has equal logits for all four answers: its p̂ stays 1/4.
  Matrix d = Matrix::Zero(4, 4);
  d(0, 0) = 1;
  d(2, 2) = d(3, 3) = 0.9;
  const auto flat = one_step_rho(logits_of(d), 0.1);
  CHECK(flat->at_threshold.value == Approx(0.25).epsilon(1e-15));
  CHECK(flat->infimum == flat->at_threshold.value);
  // It ties with one wrong answer and leaves the others behind: p̂ climbs to 1/2.
  d.col(1) << 0, 1, 1, 0;
  const auto climbing = one_step_rho(logits_of(d), 0.1);
  CHECK(climbing->at_threshold.value < 0.5);
  CHECK(climbing->infimum == climbing->at_threshold.value);
  CHECK(min_right_answer(d, 1.1L * climbing->threshold) > climbing->at_threshold.value);
}

TEST_CASE("without a class that beats its wrong answers no step size is admissible") {
  CHECK_FALSE(one_step_rho(logits_of(-Matrix::Identity(5, 5)), 0.1).has_value());
  CHECK_FALSE(one_step_rho(logits_of(Matrix::Zero(5, 5)), 0.1).has_value());
}

TEST_CASE("two classes have no room between the bounds of the threshold") {
  const auto rho = one_step_rho(logits_of(Matrix::Identity(2, 2)), 0.1);
  CHECK(rho->threshold == Approx(std::log(9.0)).epsilon(1e-14));
  CHECK(rho->at_threshold.value == Approx(0.9).epsilon(1e-14));
}

TEST_CASE("probabilities far from 1 and from 0 keep their digits on both sides") {
  OneStepLogits<double> logits = logits_of_margins<double>(Vector::Constant(1, 1.0), 1e30);
  CHECK(min_probability(logits, 0.0).value == Approx(1e-30).epsilon(1e-13));
  CHECK(min_probability(logits, 200.0).complement == Approx(1e30 * std::exp(-200)).epsilon(1e-13));
}

TEST_CASE("the search refuses what it cannot decide") {
  const auto logits = logits_of(Matrix::Identity(3, 3));
  CHECK_THROWS_AS(one_step_rho(logits, 0.5), std::invalid_argument);
  CHECK_THROWS_AS(one_step_rho(logits, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(logits_of(Matrix::Identity(1, 1)), std::invalid_argument);
  CHECK_THROWS_AS(logits_of(Matrix::Zero(2, 3)), std::invalid_argument);
  OneStepLogits<double> wrong = logits;
  wrong.margin *= 2;
  CHECK_THROWS_WITH(one_step_rho(wrong, 0.1), Catch::Contains("not linear in the step size"));
  wrong.margin.resize(2);
  CHECK_THROWS_AS(one_step_rho(wrong, 0.1), std::invalid_argument);
}
