// Laws of fan-ins that are smooth in the rank: a few nodes against every answer written out.

#include <catch2/catch.hpp>

#include "quadrature_truth.hpp"
#include "sim/engines.hpp"

using namespace laws;

namespace {

Component power_law(double classes, double exponent) {
  return {"power_law", {{"count", classes}, {"exponent", exponent}}};
}

Component fan_in(const Value& law) {
  return {"fan_in", with_defaults(answer_law_row("fan_in").parameters, {{"fan_in", law}, {"rounded", false}})};
}

const Value sixteen_and_falling = std::vector<double>{0.5, 16};
const Value proportional = std::string("proportional");

Experiment run_of(const Component& spectrum, const Value& fan_ins, const std::string& rule, double noise,
                  double step_size, std::int64_t steps) {
  Experiment e =
      experiment(spectrum, embedding("identity"), embedding("identity"), noise, optimizer_row(rule));
  e.answers = fan_in(fan_ins);
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  return e;
}

/// The largest relative difference of the total loss and the total error.
double difference_of_totals(const Result& exact, const Result& approximate) {
  double worst = 0;
  for (const char* name : {"loss", "excess_loss"}) {
    const auto& x = only_trajectory(exact).series.at(name);
    const auto& y = only_trajectory(approximate).series.at(name);
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]) / x[i]);
  }
  return worst;
}

double error_at(Experiment e, std::int64_t nodes) {
  e.classes = {};
  e.engine = Engine::symmetric;
  const Result exact = simulate(e, {}, 2);
  e.engine = Engine::quadrature;
  e.nodes = nodes;
  return difference_of_totals(exact, simulate(e, {}, 2));
}

}  // namespace

TEST_CASE("of 256 answers with fan-ins 16 k^-1/2 under Muon 8 nodes give 1e-6, 12 give 1e-9 and 16 give 1e-10") {
  const Experiment e = run_of(power_law(256, 1), sixteen_and_falling, "muon", 0, 0.5, 20);
  const double eight = error_at(e, 8), twelve = error_at(e, 12), sixteen = error_at(e, 16);
  CAPTURE(eight, twelve, sixteen);
  CHECK(eight < 1e-6);
  CHECK(eight > twelve);
  CHECK(twelve < 1e-9);
  CHECK(sixteen < 1e-10);
}

TEST_CASE("quadrature of fan-ins agrees with every answer written out: all rules, noises and laws of the fan-in") {
  for (const OptimizerRow& rule : complete_rules()) {
    if (!rule.symmetric || rule.symmetries.reads_second_moment) continue;
    for (const Value& law : {sixteen_and_falling, proportional, Value(3.0)}) {
      for (const double noise : {0.0, 0.1}) {
        const bool scaled = rule.name == "gd" || rule.name == "momentum";
        Experiment e = run_of(power_law(256, 0.8), law, rule.name, noise, scaled ? 20 : 0.3, 24);
        const Engine exact = rule.symmetries.keeps_columns ? Engine::columns : Engine::symmetric;
        const TrueError error = true_error(e, exact);
        CAPTURE(rule.name, noise, error.certified, error.truth, law.index());
        CHECK(error.truth <= std::max(1e-10, error.certified));
        CHECK(error.certified <= 1e-10);
      }
    }
  }
}
