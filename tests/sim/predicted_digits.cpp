// Predictions in double beside the same in 50 digits, for parameters over the whole range.

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "reference/random_cases.hpp"
#include "sim/predict.hpp"
#include "theory/plain.hpp"

using namespace rarefact;

namespace {

const std::vector<std::int64_t> steps = {0, 1, 2, 3, 10, 60, 300};

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

}  // namespace

TEST_CASE("a prediction has the digits that it claims, and nearly all of them where it is not chaotic") {
  const reference::RandomCases cases(100, 2000);
  for (int c = 0; c < cases.count; ++c) {
    std::mt19937_64 random(cases[c]);
    const PredictionInput input = random_input(random);
    const Trajectory plain = predicted<double>(input), exact = predicted<Real50>(input);
    for (const auto& [name, series] : plain.series) {
      if (name.find("_predicted") == std::string::npos || name.starts_with("digits")) continue;
      const std::string suffix = name.substr(name.find("_predicted"));
      const std::vector<double>&digits = plain.series.at("digits" + suffix), &truth = exact.series.at(name);
      const std::size_t width = series.size() / steps.size();
      for (std::size_t i = 0; i < series.size(); ++i) {
        const double x = series[i], y = truth[i], claimed = digits[i / width];
        if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(y) < 1e-300) continue;
        CAPTURE(c, name, steps[i / width], i % width, input.rule, input.class_total, input.label_noise,
                input.schedule.step_size, input.class_probability, x, y, claimed);
        CHECK(std::abs(x - y) <= std::abs(y) * std::pow(10, 1 - claimed));
        if (suffix == "_predicted_flow") CHECK(claimed > 11);
      }
    }
  }
}
