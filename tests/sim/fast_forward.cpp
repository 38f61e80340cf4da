// Many updates at once are those made one by one.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "laws/experiments.hpp"
#include "reference/random_cases.hpp"

using namespace laws;

namespace {

/// A few groups of classes; η so that some of them are learned at once, others late, and with noise none beyond the edge
/// of stability.
Experiment random_experiment(const std::string& rule, std::mt19937_64& random, std::int64_t steps) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const double groups = std::floor(uniform(2, 9)), size = std::floor(std::pow(10, uniform(0, 10)));
  Experiment e = identity_run(
      {"grouped_power_law", {{"groups", groups}, {"group_size", size}, {"exponent", uniform(1, 4)}}}, rule);
  OptimizerChoice& choice = e.optimizers[0];
  if (rule != "ngd" && uniform(0, 1) < 0.6)
    e.label_noise = uniform(0, 1) < 0.5 ? uniform(0.001, 0.9) : std::pow(10, uniform(-12, -3));
  double most = 30;  // of η p: far beyond the optimum single updates add up their rounding
  if (rule == "momentum") {
    choice.parameters.set("momentum", uniform(0, 1) < 0.5 ? 0.9 : 1 - std::pow(10, uniform(-3, 0)));
    choice.parameters.set("nesterov", uniform(0, 1) < 0.4);
    choice.parameters.set("momentum_kind", std::string(uniform(0, 1) < 0.3 ? "average" : "sum"));
  }
  if (e.label_noise > 0) {
    const double k = groups * size, a = e.label_noise * (k - 1) / k;
    most = std::min(most, 0.5 / (a * (1 - a)));
    if (rule == "momentum") most *= 1 - choice.parameters.number("momentum");
  }
  choice.step_size = std::min(most, std::pow(10, uniform(-6, 4))) / classes_of(e).groups->probability.front();
  if (rule == "ngd") choice.step_size = std::pow(10, uniform(-4, 1));
  e.classes.kind = ClassRule::Kind::groups;
  e.steps = steps;
  e.record = {.kind = RecordRule::Kind::log, .log = 3};
  e.engine = "columns";
  return e;
}

/// Errors of the groups at the recorded steps, every update made on their margins in mantissas of 64 bits: in doubles
/// rounding adds up to 1e-9 in a million updates.
std::vector<double> stepped_errors(const Experiment& e, const std::vector<std::int64_t>& steps) {
  const ClassGroups groups = *classes_of(e).groups;
  const OptimizerChoice& choice = e.optimizers[0];
  const MarginRecursion rule = optimizer_row(choice.rule).margins(choice.parameters);
  const long double k = groups.total(), settled = e.label_noise * (k - 1) / k, log_wrong = std::log(k - 1);
  std::vector<long double> margin(groups.size()), memory(groups.size()), g(groups.size());
  std::vector<double> errors;
  const auto error = [&](std::size_t i) { return 1 / (1 + std::exp(margin[i] - log_wrong)); };
  for (std::int64_t step = 0; step <= steps.back(); ++step) {
    if (std::ranges::binary_search(steps, step)) {
      for (std::size_t i = 0; i < margin.size(); ++i) errors.push_back(static_cast<double>(error(i)));
    }
    // In units of the least, or none would be left where all have faded.
    const long double least = rule.normalised ? *std::ranges::min_element(margin) - log_wrong : 0;
    long double squares = 0;
    for (std::size_t i = 0; i < margin.size(); ++i) {
      const long double y = margin[i] - log_wrong;
      g[i] =
          groups.probability[i] * (least > 0 ? std::exp(least - y) / (1 + std::exp(-y)) : error(i) - settled);
      squares += groups.count[i] * g[i] * g[i] * (k / (k - 1));
    }
    const long double size = rule.normalised ? std::sqrt(squares) : 1;
    for (std::size_t i = 0; i < margin.size(); ++i) {
      memory[i] = rule.momentum * memory[i] + rule.gain * g[i];
      const long double moved = rule.nesterov ? rule.gain * g[i] + rule.momentum * memory[i] : memory[i];
      margin[i] += choice.step_size.number * k / (k - 1) * moved / size;
    }
  }
  return errors;
}

struct Comparison {
  double certified = 0, truth = 0;
  std::int64_t updates = 0;
};

Comparison compare(const Experiment& e) {
  const Result result = simulate(e, {}, 1);
  const Trajectory& leapt = only_trajectory(result);
  CAPTURE(leapt.status_detail);
  CHECK(leapt.status == (leapt.fast_forward_error <= e.quadrature_tolerance ? "complete" : "uncertified"));
  const std::vector<double>&x = leapt.series.at("error"), y = stepped_errors(e, result.steps);
  Comparison found{leapt.fast_forward_error, 0, leapt.updates};
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = x[i] < 1e-300 && y[i] < 1e-300 ? 0 : std::abs(x[i] - y[i]) / y[i];
    found.truth =
        std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(found.truth, difference);
  }
  return found;
}

}  // namespace

TEST_CASE("runs that leap are those that make every update, within what they certify") {
  const reference::RandomCases cases(3, 200);
  std::mt19937_64 random(cases.seed);
  const std::vector<std::string> rules = {"gd", "momentum", "ngd"};
  int slow = 0;
  for (int i = 0; i < cases.count; ++i) {
    const std::string& rule = rules[static_cast<std::size_t>(i) % rules.size()];
    const Experiment e = random_experiment(rule, random, 1'000'001);
    const Comparison found = compare(e);
    INFO(fmt::format(
        "{} {}: η = {:.17g}, α = {:.17g}, μ = {}, {} groups of {}, exponent {:.17g}: {} updates, certified {:g}, true {:g}",
        i, rule, e.optimizers[0].step_size.number, e.label_noise,
        rule == "momentum" ? e.optimizers[0].parameters.number("momentum") : 0,
        e.spectrum.parameters.number("groups"), e.spectrum.parameters.number("group_size"),
        e.spectrum.parameters.number("exponent"), found.updates, found.certified, found.truth));
    CHECK(found.truth <= found.certified);
    CHECK(found.certified <= 1e-10);
    slow += found.updates > 300'000;
  }
  CHECK(slow <= cases.count / 50);  // those that go to and fro
}

TEST_CASE("the roundings of single updates do not add up in a run that leaps") {
  struct Case {
    double step_size, label_noise, momentum, groups, size, exponent;
    double most = 1e-12, certified = 2e-11;
    bool nesterov = true;
  };
  for (const Case& c :
       {Case{625942435.4955987, 0.0003197167471647272, 0.9, 3, 191974658, 3.8048695156292656},
        // The steps of a rare class have faded to roundings while the most frequent one settles.
        Case{39118180.33708893, 2.3240927179263177e-05, 0.9, 7, 9883227, 2.466591962802543},
        // Momentum near 1 multiplies them.
        Case{217.20411652529248, 6.0783828380487606e-12, 0.9986338388719332, 6, 3786, 2.2071146232677217,
             5e-11, 1e-10, false}}) {
    Experiment e = identity_run(
        {"grouped_power_law", {{"groups", c.groups}, {"group_size", c.size}, {"exponent", c.exponent}}},
        "momentum", c.label_noise);
    e.optimizers[0].parameters.set("momentum", c.momentum);
    e.optimizers[0].parameters.set("nesterov", c.nesterov);
    e.optimizers[0].step_size = c.step_size;
    e.classes.kind = ClassRule::Kind::groups;
    e.steps = 1'000'001;
    e.record = {.kind = RecordRule::Kind::log, .log = 3};
    e.engine = "columns";
    const Comparison found = compare(e);
    INFO(fmt::format("η = {}: certified {:g}, true {:g}", c.step_size, found.certified, found.truth));
    CHECK(found.truth < std::min(c.most, found.certified));
    CHECK(found.certified < c.certified);
  }
}

TEST_CASE("a cycle is no rest, and a chaotic run is not certified") {
  for (const double momentum : {0.5, 0.95}) {
    Experiment e = identity_run(power_law(3.0, 1.0), "momentum", 0.75);
    e.optimizers[0].parameters.set("momentum", momentum);
    e.optimizers[0].step_size = 60;
    e.classes.kind = ClassRule::Kind::groups;
    e.steps = 1'000'003;
    e.record = {.kind = RecordRule::Kind::log, .log = 3};
    e.engine = "columns";
    const Comparison found = compare(e);
    INFO(fmt::format("μ = {}: {} updates, certified {:g}, true {:g}", momentum, found.updates,
                     found.certified, found.truth));
    CHECK((found.truth <= found.certified || found.certified > e.quadrature_tolerance));
  }
}

TEST_CASE("runs that leap are repeated for their digits") {
  for (const std::string rule : {"gd", "momentum"}) {
    Experiment e = identity_run(power_law(8.0, 1.0), rule, 0.1);
    e.steps = 1'000'001;
    e.record = {.kind = RecordRule::Kind::log, .log = 3};
    e.engine = "columns";
    e.digits = "auto";
    const Trajectory run = only_trajectory(simulate(e, {}, 1));
    CAPTURE(rule);
    CHECK(run.updates < 100'000);
    REQUIRE(run.series.contains("digits"));
    CHECK(run.series.at("loss_digits").back() > 10);
  }
}
