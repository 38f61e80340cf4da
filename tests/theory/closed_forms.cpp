// Closed forms by name, at numbers known from elsewhere.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/random.hpp"
#include "rarefact/catalogue.hpp"
#include "reference/decompositions.hpp"
#include "reference/one_step_cases.hpp"
#include "theory/closed_form.hpp"

using namespace rarefact;
using namespace one_step_cases;

namespace {

double value(const std::string& name, const std::vector<double>& numbers, bool precise = false) {
  const ClosedForm& form = row_named(closed_forms(), name, "closed form");
  REQUIRE(form.arguments.size() == numbers.size());
  return form.value(numbers.data(), precise);
}

}  // namespace

TEST_CASE("closed forms have their known values, and outside of their intervals none") {
  struct Known {
    const char* name;
    std::vector<double> numbers;
    double value, margin;
  };
  const double heptagon = 2 * std::cos(std::acos(-1.0) / 7);
  for (
      const Known& known : std::vector<Known>{
          // Margins of SignGD with rotated blocks: the right answer of the second class, 1.00709, loses to 1.01329.
          {"sign_block_margin", {1, 0, 1e300}, 1.5933, 5e-5},
          {"sign_block_margin", {2, 0, 1e300}, 1.8318, 5e-5},
          {"sign_block_margin", {3, 0, 1e300}, 2.4730, 5e-5},
          {"sign_block_margin", {2, 1, 1e300}, 1.00709 - 1.01329, 1e-5},
          // W = 0: every other answer is as likely.
          {"sign_block_odds", {2, 0, 30}, 29, 1e-12},
          // 2 [[1,1,1],[1,1,0],[1,0,0]] in some order; two more values come once, the last one grows as K.
          {"sign_block_value", {1, 0, 3e15}, 4.4940, 5e-5},
          {"sign_block_value", {2, 0, 3e15}, 2 / (heptagon * heptagon - 2), 1e-12},
          {"sign_block_value", {3, 0, 3e15}, 2 / heptagon, 1e-12},
          {"sign_block_value", {1, 1e15, 3e15}, 3e15 - 4, 1},
          {"sign_block_value", {1, 10, 30}, 26, 0.4},
          {"power_sum", {1000, -1}, 500500, 1e-9},
          {"power_sum", {1e6, 1}, 14.392726722865723, 1e-12},
          {"spike_recovery", {1, 1}, 2 / std::acos(-1.0), 1e-12},
          {"spike_recovery", {1, 0.5}, 0.67493, 1e-5},
          // Times of the Zipf bigram beside 1361 and 77233 steps.
          {"zipf_gd_loss", {1000, 1, 100}, .163063319052185, 1e-14},
          {"zipf_gd_loss", {1e15, 1, 1e6}, .553961360691485, 1e-14},
          {"zipf_gd_steps", {1e4, 0.1}, 1361.0, 0.05},
          {"zipf_gd_steps", {1e6, 0.1}, 77232.4, 0.05},
          {"zipf_sign_steps", {0.1}, 2.2537, 5e-5}}) {
    CAPTURE(known.name, known.numbers);
    for (const bool precise : {false, true})
      CHECK(value(known.name, known.numbers, precise) == Approx(known.value).margin(known.margin).epsilon(0));
  }
  CHECK_THROWS_WITH(value("sign_block_margin", {4, 0, 30}), Catch::Contains("error: sign_block_margin: "));
  CHECK_THROWS_WITH(value("rho_gd", {30, 2, 0.1}), Catch::Contains("error: rho_gd: "));
  CHECK_THROWS_WITH(value("drawn_recovery", {0, 3, 1, 1, 1, 1}), Catch::Contains("error: drawn_recovery: "));
}

TEST_CASE("singular values and odds of SignGD with rotated blocks are those of the dense update at K = 30") {
  const Matrix answers = repeated(answer_block<double>(), 30), queries = repeated(query_block<double>(), 30);
  const Matrix update = (answers * dense_residual(two_level(30)) * queries.transpose()).cwiseSign(),
               logits = answers.transpose() * update * queries;
  const Vector dense = reference::svd(update).values;
  for (Index i = 0; i < 30; ++i) {
    double nearest = INFINITY;
    for (const double n : {0.0, 10.0}) {
      for (const double j : {1.0, 2.0, 3.0})
        nearest = std::min(nearest, std::abs(value("sign_block_value", {j, n, 30}) - dense(i)));
    }
    CHECK(nearest < 1e-13 * dense(0));
  }
  for (Index c = 0; c < 3; ++c) {
    double odds = -1;
    for (Index k = 0; k < 30; ++k) odds += std::exp(2 * (logits(k, c) - logits(c, c)));
    CHECK(value("sign_block_odds", {static_cast<double>(c + 1), 2, 30}) == Approx(odds).epsilon(1e-12));
  }
}

TEST_CASE("what is drawn is u and v in the polar factor that Eigen finds, N beside -N") {
  Matrix noise(7, 9);
  RandomStream(3, "spiked").fill_normal(0, {noise.data(), 63});
  double expected = 0;
  for (const double sign : {0.5, -0.5}) {
    Matrix x = sign * noise;
    x(0, 0) += 2;
    expected += 0.5 * reference::svd(x).polar(7)(0, 0);
  }
  CHECK(value("drawn_recovery", {7, 9, 2, 0.5, 3, 1}) == Approx(expected).epsilon(1e-12));
}

TEST_CASE("closed forms of a margin have in double the digits of 50-digit arithmetic") {
  std::mt19937_64 random(1);
  const auto power_of_ten = [&](double low, double high) {
    return std::pow(10, std::uniform_real_distribution<>(low, high)(random));
  };
  for (int c = 0; c < 300; ++c) {
    const double total = std::floor(power_of_ten(0.4, 15)), alpha = c % 4 == 0 ? 0 : power_of_ten(-12, -0.05),
                 p = power_of_ten(-3, 0) / total;
    for (const auto& [name, numbers] :
         {std::pair<const char*, std::vector<double>>{"error_of_margin", {power_of_ten(-9, 2), total}},
          {"optimal_margin", {total, power_of_ten(-12, -0.05)}},
          {"flow_margin", {p, total, alpha, power_of_ten(-9, 4) / p}},
          {"rho_gd", {total, power_of_ten(-6, 0), power_of_ten(-12, -0.4)}}}) {
      CAPTURE(name, numbers);
      CHECK(value(name, numbers) == Approx(value(name, numbers, true)).epsilon(3e-14));
    }
  }
}
