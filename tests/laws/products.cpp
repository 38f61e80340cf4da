// Starts and products W = U V: every engine that takes them gives what the dense one gives in the coordinates of W, and the
// dense one what the definition says.

#include <catch2/catch.hpp>

#include "model/start.hpp"
#include "reference/decompositions.hpp"
#include "reference/random_cases.hpp"
#include "sim/random_run.hpp"

using namespace laws;

namespace {

void draw_start(Dice& dice, Experiment& e) {
  e.factors = dice() < 0.6 ? 2 : 1;
  e.init = {"aligned", {{"scale", 0.2 + dice()}}};
  OptimizerChoice& choice = e.optimizers.front();
  const bool by_size = choice.rule == "gd" || choice.rule == "momentum";
  choice.step_size = by_size ? 0.5 + dice() : 0.02 + 0.1 * dice();
  if (choice.rule == "muon" && dice() < 0.5) choice.parameters.set("momentum", 0.8);
  if (dice() < 0.5) choice.weight_decay = 0.2 * dice();
  if (dice() < 0.5) choice.weight_decay_kind = "coupled";
  if (dice() < 0.3) choice.schedule = "cosine";
  e.steps = 12;
}

Experiment softmax_run(Dice& dice) {
  static const std::vector<std::string> rules = {"gd", "momentum", "ngd", "signgd", "adam", "muon"};
  const std::vector<ChosenRow> sides = {
      embedding("identity"), embedding("orthogonal"), embedding("equicorrelated", {{"rho", 0.3}}),
      embedding("block_rotation", {{"angles", std::vector<double>{1.715, 0.876, 3.098}}})};
  const OptimizerRow& rule = optimizer_row(dice.among(rules));
  Experiment e = experiment(dice.among(spectra()), dice.among(sides), dice.among(sides),
                            dice() < 0.5 ? 0 : 0.2 * dice(), rule);
  draw_start(dice, e);
  if (dice() < 0.5) e.curvature = e.push = true;
  return e;
}

Experiment squares_run(Dice& dice) {
  Experiment e = softmax_run(dice);
  e.loss = &loss_row("least_squares");
  // Uᵀ∇L of rotated factors has entries that only rounding keeps from 0.
  const std::string& name = e.optimizers.front().rule;
  if (name == "signgd" || name == "adam") e.query_embedding = e.answer_embedding = embedding("identity");
  e.squares.query_noise = 0.5 * dice();
  e.squares.queries = dice() < 0.5 ? "facts" : "gaussian";
  if (e.squares.gaussian()) {
    e.label_noise = 0;
    e.squares.exponent = e.spectrum.kind == "power_law" ? dice() : 0;
    e.squares.scale = 0.5 + dice();
  }
  return e;
}

/// The largest difference of a series over its largest number.
double difference(const Result& a, const Result& b, const std::string& name) {
  const auto &x = only_trajectory(a).series.at(name), &y = only_trajectory(b).series.at(name);
  REQUIRE(x.size() == y.size());
  double largest = 0, size = 1e-3;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x[i] - y[i]));
    size = std::max(size, std::abs(y[i]));
  }
  return largest / size;
}

/// Blocks of three need groups of whole blocks.
bool resolves(const Experiment& e) {
  try {
    resolve(e, {});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::size_t compare(const Experiment& drawn, std::initializer_list<const char*> engines) {
  Experiment e = drawn;
  e.engine = "dense";
  if (!resolves(e) || !takes(e, "dense")) return 0;
  const Result expected = written_out(e);
  std::size_t compared = 0;
  for (const std::string engine : engines) {
    e.engine = engine;
    if (!takes(e, engine)) continue;
    ++compared;
    CAPTURE(engine);
    const Result found = simulate(e, {}, 1);
    for (const std::string name : {"loss", "class_loss", "push", "curvature_penalty", "balance"})
      if (only_trajectory(expected).series.contains(name)) {
        CAPTURE(name);
        CHECK(difference(found, expected, name) < 1e-10);
      }
  }
  return compared;
}

}  // namespace

TEST_CASE(
    "starts and products on symmetric, quadrature, columns and dense are those in the coordinates of W") {
  std::size_t compared = 0;
  const reference::RandomCases cases(60, 600);
  for (int i = 0; i < cases.count; ++i) {
    Dice dice{.stream = {31, "products"}, .experiment = cases[i]};
    const Experiment e = softmax_run(dice);
    CAPTURE(i, e.optimizers.front().rule, e.spectrum.kind, e.query_embedding.kind, e.answer_embedding.kind,
            e.factors, e.label_noise);
    compared += compare(e, {"columns", "symmetric", "quadrature", "dense"});
  }
  CHECK(compared > static_cast<std::size_t>(cases.count));
}

TEST_CASE(
    "starts and products of least squares on modes, symmetric and dense are those in the coordinates of W") {
  std::size_t compared = 0;
  const reference::RandomCases cases(60, 600);
  for (int i = 0; i < cases.count; ++i) {
    Dice dice{.stream = {37, "products"}, .experiment = cases[i]};
    const Experiment e = squares_run(dice);
    CAPTURE(i, e.optimizers.front().rule, e.spectrum.kind, e.query_embedding.kind, e.answer_embedding.kind,
            e.factors, e.squares.queries);
    compared += compare(e, {"modes", "columns", "symmetric", "dense"});
  }
  CHECK(compared > static_cast<std::size_t>(cases.count));
}

TEST_CASE("a dense product is trained as its definition says") {
  for (const std::string rule : {"gd", "signgd", "muon"}) {
    for (const Index inner : {5, 14}) {
      Experiment e = identity_run(spectra()[2], rule, 0.1);
      e.query_embedding = embedding("gaussian", {{"dimension", 9.0}});
      e.answer_embedding = embedding("gaussian", {{"dimension", 7.0}});
      e.factors = 2;
      e.inner = inner;
      e.init = {"gaussian", {{"scale", 0.4}}};
      e.weights = true;
      e.steps = 15;
      OptimizerChoice& choice = e.optimizers.front();
      choice.weight_decay = 0.03;
      choice.step_size = 0.05;
      const Trajectory run = only_trajectory(simulate(e, {}, 1));
      const Matrix query = array_of(e.query_embedding, 12, "query"),
                   answer = array_of(e.answer_embedding, 12, "answer");
      Matrix u = drawn_start("gaussian", 0.4, 7, inner, 1, 0),
             v = drawn_start("gaussian", 0.4, inner, 9, 1, 1);
      const ClassGroups groups = *classes_of(e).groups;
      for (int t = 0; t < 15; ++t) {
        Matrix residual = (answer.transpose() * u * v * query).array().exp();
        for (Index l = 0; l < 12; ++l) {
          residual.col(l) /= residual.col(l).sum();
          residual.col(l).array() -= 0.1 / 12;
          residual(l, l) -= 0.9;
          residual.col(l) *= groups.probability[static_cast<std::size_t>(l)];
        }
        const Matrix gradient = answer * residual * query.transpose();
        const Matrix of_u = gradient * v.transpose(), of_v = u.transpose() * gradient;
        const auto direction = [&](const Matrix& g) -> Matrix {
          return rule == "gd" ? g : rule == "muon" ? reference::polar(g) : Matrix(g.cwiseSign());
        };
        u = (1 - 0.05 * 0.03) * u - 0.05 * direction(of_u);
        v = (1 - 0.05 * 0.03) * v - 0.05 * direction(of_v);
      }
      CAPTURE(rule, inner);
      CHECK((matrix_of(run.weights_u) - u).cwiseAbs().maxCoeff() < 1e-11);
      CHECK((matrix_of(run.weights_v) - v).cwiseAbs().maxCoeff() < 1e-11);
      CHECK((matrix_of(run.weights) - u * v).cwiseAbs().maxCoeff() < 1e-11);
      CHECK(run.series.at("balance").back() ==
            Approx((u.transpose() * u - v * v.transpose()).norm()).epsilon(1e-11));
    }
  }
}
