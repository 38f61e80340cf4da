#include "model/margin.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "reference/high_precision.hpp"

using namespace rarefact;

namespace {

/// 400 digits: the definitions below may subtract as they like and still know 1e-100 to 300 digits.
using Real = reference::Wide;

/// The definitions for one class: probabilities of the right and of each wrong answer, wanted and predicted.
struct Definition {
  Real total, noise, margin;
  Real right = 1 - noise + noise / total, wrong = noise / total;
  Real memory_right = 1 / (1 + (total - 1) * exp(-margin));
  Real memory_wrong = (1 - memory_right) / (total - 1);

  Real error() const { return 1 - memory_right; }
  Real optimum() const { return log(right * (total - 1) / (1 - right)); }
  Real excess_loss() const {
    const Real sum = right * log(right / memory_right);
    return noise == 0 ? sum : Real(sum + (total - 1) * wrong * log(wrong / memory_wrong));
  }
  Real irreducible_loss() const {
    return noise == 0 ? Real(0) : Real(-right * log(right) - (total - 1) * wrong * log(wrong));
  }
};

double relative_error(double value, const Real& expected) {
  return static_cast<double>(abs(Real(value) / expected - 1));
}

const std::vector<double> totals{2, 3, 64, 12544, 1e15, 1e100, 1e300};
const std::vector<double> noises{1e-100, 1e-20, 1e-6, 0.1, 0.5, 0.9, 1 - 1e-12};

}  // namespace

TEST_CASE("error and noiseless loss keep 15 digits from 1e-100 to 1, for up to 1e300 classes") {
  for (const double total : totals) {
    for (const double target :
         {-700.0, -230.0, -100.0, -37.0, -1.0, -1e-3, 0.0, 0.5, 5.0, 40.0, 300.0, 680.0, 1000.0}) {
      const double margin = std::log(total - 1) - target;  // error is about e^target
      const Definition exact{total, 0, margin};
      CAPTURE(total, target);
      // Two exponentials, each right to one unit in the last place, and five operations.
      CHECK(relative_error(error_of_margin(margin, total), exact.error()) < 1.5e-15);
      CHECK(relative_error(excess_loss_of_margin(margin, total, 0), exact.excess_loss()) < 1.5e-15);
    }
  }
}

TEST_CASE("excess loss under label noise keeps 13 digits, also where it is 1e-100") {
  for (const double total : totals) {
    for (const double noise : noises) {
      const double optimum = optimal_margin(total, noise);
      for (const double distance :
           {-600.0, -40.0, -3.0, -0.4, -1e-3, -1e-7, 1e-7, 1e-3, 0.2, 2.0, 34.0, 230.0, 600.0, 800.0}) {
        const double margin = optimum - distance;
        if (margin < 0) continue;
        const Definition exact{total, noise, margin};
        const double left = std::abs(static_cast<double>(exact.optimum() - margin));
        CAPTURE(total, noise, distance);
        // Second order in δ, which is known to 1e-15 whatever the size of m, and better where m* itself is
        // small.
        const double unknown = 4e-15 * std::min(1.0, optimum);
        CHECK(relative_error(excess_loss_of_margin(margin, total, noise), exact.excess_loss()) <
              1e-13 + unknown / left);
      }
    }
  }
}

TEST_CASE("the distance to the optimum is known to 1e-15 however large the margins are") {
  for (const double total : totals) {
    for (const double noise : noises) {
      const double optimum = optimal_margin(total, noise);
      CAPTURE(total, noise);
      CHECK(relative_error(optimum, Definition{total, noise, 0}.optimum()) < 1e-15);
      for (const double factor : {0.0, 0.1, 0.9, 0.99, 0.999999, 1.000001, 1.01, 1.3, 3.0}) {
        const double margin = factor * optimum;
        const double expected = static_cast<double>(Definition{total, noise, margin}.optimum() - margin);
        CHECK(std::abs(distance_to_optimum(margin, total, noise) - expected) <=
              1.5e-15 * (std::min(1.0, optimum) + std::abs(expected)));
      }
    }
  }
  CHECK(optimal_margin(64, 0) == INFINITY);
  // Beyond 1490 e^{-m/2} is 0.
  for (const double margin : {-1e3, 0.0, 700.0, 1e3, 3e3, 1e155}) {
    CHECK(distance_to_optimum(margin, 64, 0) == INFINITY);
    CHECK(distance_to_optimum<Real50>(margin, 64, 0) == INFINITY);
    if (margin >= 1e3) CHECK(error_of_margin(margin, 64) == 0);
  }
}

TEST_CASE("the shortfall of the right answer does not cancel near the optimum") {
  for (const double total : totals) {
    for (const double noise : noises) {
      for (const double distance :
           {-800.0, -30.0, -0.1, -1e-12, -1e-200, 0.0, 1e-200, 1e-12, 0.1, 30.0, 800.0}) {
        const Definition at{total, noise, Definition{total, noise, 0}.optimum() - distance};
        const double shortfall = shortfall_at_distance(distance, total, noise);
        CAPTURE(total, noise, distance);
        if (distance == 0) {
          CHECK(shortfall == 0);
        } else {
          CHECK(relative_error(shortfall, at.right - at.memory_right) < 2e-15);
        }
      }
    }
  }
}

TEST_CASE("the irreducible loss keeps its digits for the faintest label noise") {
  for (const double total : totals) {
    CHECK(irreducible_loss(total, 0) == 0);
    for (const double noise : noises) {
      CAPTURE(total, noise);
      CHECK(relative_error(irreducible_loss(total, noise), Definition{total, noise, 0}.irreducible_loss()) <
            2e-15);
      const Real right = Definition{total, noise, 0}.right;
      CHECK(relative_error(right_answer_probability(total, noise), right) < 1e-15);
      CHECK(relative_error(wrong_answer_probability(total, noise), 1 - right) < 1e-15);
    }
  }
}
