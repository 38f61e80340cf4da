#include <catch2/catch.hpp>
#include <cmath>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "reference/decompositions.hpp"
#include "reference/plain_law.hpp"
#include "theory/one_step.hpp"

using namespace laws;

namespace {

/// Answers of fan-ins 4, 2 and 1, the queries of an answer unequally likely or not.
ChosenRow fan_ins(double within) {
  return law_of("fan_in", {{"fan_in", std::vector<double>{1, 4}}, {"within", within}});
}

/// ϱ by the definition: the step size is halved in on until the best query is retrieved.
double plain_rho(const Pairs& pairs, const Matrix& logits, double epsilon) {
  const auto retrieved = [&](double step_size) {
    const Vector right = reference::softmax_of(step_size * logits)
                             .cwiseProduct(reference::right_of(pairs))
                             .colwise()
                             .sum()
                             .transpose();
    return std::pair(right.minCoeff(), right.maxCoeff());
  };
  double low = 0, high = 1e4;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = (low + high) / 2;
    (retrieved(middle).second < 1 - epsilon ? low : high) = middle;
  }
  return retrieved(high).first;
}

double at(const Result& result, const std::string& name, std::size_t record) {
  return only_trajectory(result).series.at(name)[record];
}

}  // namespace

TEST_CASE("of queries that share answers ϱ is that of all logits, on every engine") {
  for (const double within : {0.0, 1.0}) {
    for (const std::string rule : {"gd", "muon", "signgd"}) {
      Experiment e = identity_run(power_law(6.0, 1.0), rule);
      e.optimizers[0].step_size = 0.7;
      e.rho_epsilon = 0.1;
      e.answers = fan_ins(within);
      e.steps = 1;
      const Pairs pairs = written_out(*load_problem(e, {}).answers).pairs;
      const Vector p = reference::probability_of(pairs);
      const Matrix pull = (reference::shares_of(pairs).array() - 1.0 / 6).matrix() * p.asDiagonal();
      Matrix logits = rule == "gd" ? pull : Matrix(pull.array().sign());
      if (rule == "muon") {
        // The last direction is that of the column sums, which are zero.
        logits = reference::svd(pull).polar(5);
      }
      const double expected = plain_rho(pairs, logits, 0.1);
      for (const char* engine : {"columns", "symmetric", "dense"}) {
        if (rule == "muon" && engine == std::string("columns")) continue;
        e.engine = engine;
        CAPTURE(within, rule, engine);
        CHECK(at(simulate(e, {}, 1), "rho_at_threshold", 1) == Approx(expected).epsilon(1e-12));
      }
      if (rule == "gd") {
        // Fan-in drops out of GD: the probabilities of the queries decide.
        CHECK(expected == Approx(rho_gd<double>(6, p.minCoeff() / p.maxCoeff(), 0.1).value).epsilon(1e-12));
      }
    }
  }
}
