// Closed forms and known numbers of what probes measure, on every engine that holds the run.

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "reference/decompositions.hpp"
#include "reference/plain_law.hpp"
#include "theory/one_step.hpp"

using namespace laws;

namespace {

ChosenRow two_level(double count) {
  return {"two_level", {{"count", count}, {"head_fraction", 0.2}, {"head_mass", 0.8}}};
}

/// ⟨D, msgn ∇L⟩/rank ∇L at W = 0 of power_law(12) with label noise 0.1, of the polar factor that Eigen finds: of ∇L itself or
/// of its signs.
double first_alignment(bool of_signs) {
  constexpr Index k = 12;
  Vector p = Vector::LinSpaced(k, 1, double(k)).cwiseInverse();
  p /= p.sum();
  const Matrix pi = 0.9 * Matrix::Identity(k, k) + Matrix::Constant(k, k, 0.1 / k);
  const Matrix g = (Matrix::Constant(k, k, 1.0 / k) - pi) * p.asDiagonal();
  const Matrix d = of_signs ? g.unaryExpr([](double x) { return x > 0 ? 1.0 : -1.0; }) : g;
  return d.cwiseProduct(reference::svd(g).polar(k - 1)).sum() / (k - 1);
}

struct Known {
  ChosenRow spectrum;
  const char *side, *rule;
  double step_size;
  const char* variable;
  std::size_t index;  ///< in its series
  double value, tolerance;
};

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

TEST_CASE("measures of first steps have their closed forms on every engine") {
  const double rho_of_gd = rho_gd<double>(30, 1.0 / 16, 0.1).value, head = 0.8 / 6, tail = 0.2 / 24;
  // Of 600 classes entries are alike in hundreds.
  const double sharpness_of_gd = (120 * std::pow(0.8 / 120, 3) + 480 * std::pow(0.2 / 480, 3)) / 600 /
                                 (120 * std::pow(0.8 / 120, 2) + 480 * std::pow(0.2 / 480, 2));
  const std::vector<Known> all = {
      {power_law(60), "identity", "gd", 0.7, "nds", 0, 2.62862135e-3, 1e-9},
      {two_level(60), "identity", "gd", 0.7, "nds", 0, 1.09508547e-3, 1e-9},
      {power_law(60), "identity", "signgd", 0.7, "nds", 0, 1.82098765e-5, 3e-9},
      {power_law(60), "identity", "signgd", 0.7, "nds_effective", 0, 1.0 / 3600, 1e-13},
      {two_level(60), "block_rotation", "signgd", 0.7, "nds_effective", 0, 1.0 / 3600, 1e-12},
      {power_law(60), "identity", "muon", 0.7, "nds", 0, 2.80989300e-4, 3e-9},
      {power_law(60), "identity", "muon", 0.7, "nds_predicted", 0, 2.80989300e-4, 3e-9},
      {two_level(60), "identity", "muon", 0.7, "nds", 0, 2.81291627e-4, 3e-9},
      {two_level(600), "identity", "gd", 0.7, "nds", 0, sharpness_of_gd, 2e-13},
      {two_level(600), "block_rotation", "gd", 0.7, "nds", 0, sharpness_of_gd, 2e-13},
      {two_level(600), "identity", "signgd", 0.7, "nds", 0, 4 * (1 - 1 / 600.0) / 600 / 600 / 600, 2e-13},
      {power_law(64), "identity", "muon", 1, "first_order_gain", 0, .9887659082, 1e-9},
      {power_law(64), "identity", "muon", 1, "curvature_penalty", 0, .007774201049, 1e-9},
      {power_law(64), "identity", "muon", 1, "taylor_remainder", 0, .003225090744, 1e-9},
      {power_law(64), "identity", "gd", 10, "first_order_gain", 0, .712733269, 1e-8},
      {power_law(64), "identity", "gd", 10, "curvature_penalty", 0, .00865821034, 1e-8},
      {power_law(64), "identity", "gd", 10, "taylor_remainder", 0, .00893021711, 1e-8},
      {two_level(30), "identity", "gd", 2, "push", 0, head * 29 / 30, 1e-14},
      {two_level(30), "identity", "gd", 2, "push", 29, tail * 29 / 30, 1e-14},
      // Columns of a sign matrix sum to K-2, against a norm of K.
      {two_level(30), "identity", "signgd", 0.3, "update_null_space_leakage", 0, 28.0 / 30, 1e-14},
      {power_law(12), "identity", "gd", 0.3, "alignment", 0, first_alignment(false), 1e-12},
      {power_law(12), "identity", "signgd", 0.3, "alignment", 0, first_alignment(true), 1e-12},
      {power_law(12), "identity", "muon", 0.3, "alignment", 1, 1, 1e-12},
      {two_level(30), "identity", "gd", 0.7, "rho_at_threshold", 1, rho_of_gd, 1e-13},
      {two_level(30), "identity", "gd", 0.7, "rho", 1, rho_of_gd, 1e-13},
      {two_level(30), "identity", "gd", 0.7, "rho_deficit", 1, (1 - rho_of_gd) / 0.1 - 1, 1e-13},
      {two_level(30), "identity", "gd", 0.7, "rho", 0, NAN, 0},
      {two_level(30), "orthogonal", "muon", 0.7, "rho_at_threshold", 1, 0.887109489, 1e-8},
      {two_level(30), "block_rotation", "signgd", 0.7, "rho_at_threshold", 1, 0.319716516, 1e-8},
      {two_level(30), "block_rotation", "signgd", 0.7, "rho", 1, 0, 0}};
  for (const Known& known : all) {
    Experiment e = experiment(known.spectrum, embedding(known.side), embedding(known.side), 0,
                              optimizer_row(known.rule));
    e.alignment = known.variable == std::string("alignment");
    // The sharpness at W = 0 is of the gradient: noise scales it.
    if (e.alignment || std::string(known.variable).starts_with("nds")) e.label_noise = 0.1;
    e.optimizers[0].step_size = known.step_size;
    e.steps = 1;
    if (std::string(known.variable).starts_with("update_")) e.spectral_metrics = "on";
    e.push = e.curvature = true;
    e.rho_epsilon = 0.1;
    for (const std::string engine : {"columns", "symmetric", "dense"}) {
      e.engine = engine;
      if (!refusal(e).empty()) continue;
      CAPTURE(known.side, known.rule, known.variable, engine);
      const double seen = only_trajectory(simulate(e, {}, 1)).series.at(known.variable)[known.index];
      CHECK((std::isnan(known.value) ? std::isnan(seen)
                                     : seen == Approx(known.value).epsilon(known.tolerance).margin(0)));
    }
  }
}

TEST_CASE("updates whose squares, or whose memories, leave the doubles are measured to 8 digits") {
  struct Case {
    const char* rule;
    double step_size;
    std::size_t step;
    std::vector<double> expected;  ///< penalty, remainder, sharpness; from mpmath with 500 digits
  };
  const std::vector<Case> cases = {
      {"ngd", 400, 1, {7.21472336e-106, -7.2e-106, 9.0184042e-111}},
      {"momentum", 500, 3, {1.716565234e-193, -1.688541578e-193, 9.302458552e-198}}};
  for (const Case& c : cases) {
    for (const std::string engine : {"columns", "symmetric", "dense"}) {
      Experiment e = identity_run(power_law(2), c.rule);
      e.optimizers[0].step_size = c.step_size;
      e.steps = 4;
      e.curvature = true;
      const Result result = on_engine(e, engine);
      const auto value = [&](const char* name) { return only_trajectory(result).series.at(name)[c.step]; };
      CAPTURE(c.rule, engine);
      CHECK(value("curvature_penalty") == Approx(c.expected[0]).epsilon(1e-8));
      CHECK(value("taylor_remainder") == Approx(c.expected[1]).epsilon(c.step == 1 ? 1e-2 : 1e-8));
      CHECK(value("nds") == Approx(c.expected[2]).epsilon(1e-8));
    }
  }
}

TEST_CASE("of samples of equally likely classes alignment at W = 0 is the sum of pushes over K - 1") {
  // msgn of the population's gradient is -(I - 11ᵀ/K), and columns of a sample's gradient sum to zero.
  for (const char* kind : {"identity", "orthogonal"}) {
    Experiment e = experiment({"uniform", {{"count", 12.0}}}, embedding(kind), embedding(kind), 0.2,
                              optimizer_row("gd"));
    e.steps = 4;
    e.alignment = e.push = true;
    e.engine = "dense";
    e.data_mode = "minibatch";
    e.data_parameters = {{"batch", 20.0}};
    const Result result = simulate(e, {}, 1);
    const auto& push = only_trajectory(result).series.at("push");
    REQUIRE(push.size() == 5 * 12);
    const double sum = std::accumulate(push.begin(), push.begin() + 12, 0.0);
    CHECK(only_trajectory(result).series.at("alignment").front() == Approx(sum / 11).epsilon(1e-12));
  }
}

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
