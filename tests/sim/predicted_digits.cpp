// Predictions in double beside the same in 50 digits, for parameters over the whole range.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "reference/random_cases.hpp"
#include "sim/predict.hpp"
#include "theory/plain.hpp"

using namespace rarefact;

namespace {

const std::vector<std::int64_t> steps = {0, 1, 2, 3, 10, 60, 120, 160, 300};

template <class Real>
Trajectory predicted(const PredictionInput& input) {
  ClassRows rows;
  rows.groups = true;
  for (std::size_t g = 0; g < input.class_count.size(); ++g)
    rows.push_back({1, 0, input.class_count[g], input.class_probability[g], g});
  Trajectory trajectory;
  trajectory.series = {{"digits", {}}, {"nds", {}}};
  const ClassGroups groups{input.class_count, input.class_probability};
  predict<Real>(input, predicted_groups(groups, rows), steps, trajectory);
  return trajectory;
}

double log_uniform(std::mt19937_64& random, double low, double high) {
  return std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random));
}

/// A few groups of classes of very different probabilities, at a step size between far too small and too large.
PredictionInput random_input(std::mt19937_64& random) {
  const std::vector<std::string> rules = {"gd", "gd", "muon", "signgd", "newton"};
  const std::string rule = rules[random() % rules.size()];
  const double total = std::floor(log_uniform(random, 2, 1e15)) * 4;
  const double noise = rule == "newton" || random() % 3 == 0 ? 0 : log_uniform(random, 1e-12, 0.95);
  std::vector<double> p;
  for (int g = 0; g < 4; ++g) p.push_back(log_uniform(random, 1e-3, 1) / total);
  PredictionInput input = plain::input(rule, total, noise, log_uniform(random, 1e-9, 3), p);
  // Beyond the edge of stability, 2, the recursion is chaotic.
  if (rule == "gd") input.schedule.step_size *= total * log_uniform(random, 1e-3, 1e3);
  return input;
}

/// Every number of a prediction in double has the digits that it claims.
void check_digits(const PredictionInput& input) {
  const Trajectory plain = predicted<double>(input), exact = predicted<Real50>(input);
  for (const auto& [name, series] : plain.series) {
    if (name.find("_predicted") == std::string::npos || name.find("digits") != std::string::npos) continue;
    const std::string suffix = name.substr(name.find("_predicted"));
    const bool nds = name == "nds_predicted";
    const std::vector<double>&digits = plain.series.at(nds ? name + "_digits" : "digits" + suffix),
          &truth = exact.series.at(name);
    const std::size_t width = series.size() / steps.size();
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double x = series[i], y = truth[i], claimed = digits[i / width];
      if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(y) < 1e-300) continue;
      CAPTURE(name, steps[i / width], i % width, input.rule, input.class_total, input.label_noise,
              input.schedule.step_size, input.class_probability, x, y, claimed);
      if (claimed > 0) CHECK(std::abs(x - y) <= std::abs(y) * std::pow(10, 1 - claimed));
      if (suffix == "_predicted_flow") CHECK(claimed > 11);
    }
  }
}

}  // namespace

TEST_CASE("a prediction has the digits that it claims, and nearly all of them where it is not chaotic") {
  const reference::RandomCases cases(50, 2000);
  for (int c = 0; c < cases.count; ++c) {
    CAPTURE(c);
    std::mt19937_64 random(cases[c]);
    check_digits(random_input(random));
  }
}

TEST_CASE(
    "where rounding of m*, of 1 - β^t or of a vanishing update decides, predictions claim fewer digits") {
  for (const double step_size : {7.0, 1.0, .3}) {
    PredictionInput adam = plain::input("adam", 6, .5, step_size, {1 / 6.0});
    adam.parameters = {{"beta1", 0.0}, {"beta2", .999}, {"epsilon", 0.0}};
    check_digits(adam);
    for (const std::int64_t length : {200, 300}) {
      PredictionInput cosine = plain::input("muon", 5, .9, step_size, {.2});
      cosine.schedule.factor = schedule_factor("cosine"), cosine.schedule.steps = length;
      check_digits(cosine);
    }
  }
  // A start far below m* = 55, which decay moves.
  PredictionInput aligned = plain::input("gd", 1e15, 1e-9, 3e14, {1e-15});
  aligned.start = .01, aligned.schedule.decay = 1e-3;
  check_digits(aligned);
  PredictionInput decayed = plain::input("gd", 5, .1, 1, {.4, .3, .15, .1, .05});
  decayed.schedule.decay = .5;
  check_digits(decayed);
  CHECK(predicted<double>(decayed).series.at("nds_predicted_digits").back() < 1);
  // A first direction whose smallest entries are below the rounding of the largest.
  std::vector<double> p;
  for (int k = 1; k <= 8; ++k) p.push_back(std::pow(k, -12.0) / 1.000246);
  PredictionInput steep = plain::input("muon", 8, 0, 10, p);
  steep.orthonormal = steep.identity = false, steep.equicorrelated = true, steep.query_cosine = 0.5;
  check_digits(steep);
  // A step far beyond m*, whose rounding stays when decay takes the rest.
  for (const double step_size : {1e6, 3.3e15}) {
    PredictionInput thrown = plain::input("muon", 10, .5, step_size, {.1});
    thrown.schedule.decay = 1e-31;
    check_digits(thrown);
  }
  PredictionInput product = plain::input("gd", 4, .3, 1, {.25});
  product.factors = 2, product.start = .3;
  check_digits(product);
}
