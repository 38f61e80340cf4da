// The loss along the next update: sums to the change of the loss, is the same in every engine, and has the closed forms
// of W = 0.

#include <catch2/catch.hpp>
#include <cstring>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"

using namespace laws;

namespace {

const std::vector<const char*> names = {"first_order_gain", "curvature_penalty", "taylor_remainder", "nds",
                                        "nds_effective"};

Experiment curved(const Component& spectrum, const char* kind, const OptimizerRow& rule, double noise = 0) {
  const Component side =
      embedding_row(kind).equicorrelated ? embedding(kind, {{"rho", 0.3}}) : embedding(kind);
  Experiment e = experiment(spectrum, side, side, noise, rule);
  e.steps = 8;
  e.curvature = true;
  return e;
}

Experiment curved(const Component& spectrum, const char* kind, const char* rule, double step_size) {
  Experiment e = curved(spectrum, kind, optimizer_row(rule));
  e.optimizers.front().step_size = step_size;
  return e;
}

const std::vector<double>& series(const Result& result, const std::string& name) {
  return only_trajectory(result).series.at(name);
}

/// |L_{t+1} - L_t + gain - penalty - remainder|, the largest.
double sum_rule(const Result& result) {
  const auto& loss = series(result, "loss");
  double worst = 0;
  for (std::size_t t = 0; t + 1 < loss.size(); ++t) {
    const double change =
        -series(result, names[0])[t] + series(result, names[1])[t] + series(result, names[2])[t];
    const double off = std::abs(loss[t + 1] - loss[t] - change);
    if (!(off <= worst)) worst = std::isnan(off) ? INFINITY : off;
  }
  return worst;
}

/// Of gain, penalty and remainder beside the largest of them, and of the sharpness, relative.
double difference(const Result& a, const Result& b) {
  double worst = 0;
  for (std::size_t t = 0; t < series(a, "loss").size(); ++t) {
    double size = 0;
    for (std::size_t m = 0; m < 3; ++m) size = std::max(size, std::abs(series(a, names[m])[t]));
    for (std::size_t m = 0; m < 5; ++m) {
      const double x = series(a, names[m])[t], y = series(b, names[m])[t];
      if (std::isnan(x) && std::isnan(y)) continue;
      const double off = x == y ? 0 : std::abs(x - y) / (m < 3 ? size : std::abs(x));
      if (!(off <= worst)) worst = std::isnan(off) ? INFINITY : off;
    }
  }
  return worst;
}

}  // namespace

TEST_CASE(
    "gain less penalty and remainder is what the update takes from the loss, for every rule in every engine") {
  for (const OptimizerRow& rule : complete_rules()) {
    for (const char* kind : {"identity", "block_rotation", "equicorrelated"}) {
      for (const double noise : {0.0, 0.1}) {
        const Experiment e = curved(spectra()[0], kind, rule, noise);
        for (const Engine engine : {Engine::columns, Engine::symmetric, Engine::dense}) {
          if (!takes(e, engine)) continue;
          Experiment one = e;
          one.engine = engine;
          const Result result = simulate(one, {}, 1);
          if (only_trajectory(result).status != "complete") continue;
          const double largest = *std::ranges::max_element(series(result, "loss"));
          CAPTURE(rule.name, kind, noise, name_of(engine), largest);
          CHECK(sum_rule(result) < 1e-13 * std::max(1.0, largest));
        }
      }
    }
  }
}

TEST_CASE("every engine measures along the update what the dense one does in the coordinates of W") {
  for (const OptimizerRow& rule : complete_rules()) {
    for (const char* kind : {"identity", "block_rotation", "equicorrelated"}) {
      for (const double noise : {0.0, 0.1}) {
        Experiment e = curved(spectra()[4], kind, rule, noise);
        e.steps = 3;
        const Result dense = written_out(e);
        for (const Engine engine : {Engine::columns, Engine::symmetric, Engine::dense}) {
          if (!takes(e, engine)) continue;
          Experiment one = e;
          one.engine = engine;
          Result result = simulate(one, {}, 1);
          CAPTURE(rule.name, kind, noise, name_of(engine));
          // Of embeddings from a file nobody knows that they are orthonormal.
          CHECK(std::isnan(series(dense, "nds_effective")[0]));
          CHECK(std::isnan(series(result, "nds_effective")[0]) == embedding_row(kind).equicorrelated);
          result.runs[0].trajectories[0].series["nds_effective"] = series(dense, "nds_effective");
          CHECK(difference(dense, result) < 1e-11);
        }
      }
    }
  }
}

TEST_CASE("at W = 0 the sharpness of gradient descent, Muon and SignGD has its closed forms") {
  const Component power_law = {"power_law", {{"count", 60.0}, {"exponent", 1.0}}},
                  two_level = {"two_level", {{"count", 60.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}};
  const auto nds = [](const Component& spectrum, const char* kind, const char* rule, Engine engine,
                      const char* name = "nds") {
    Experiment e = curved(spectrum, kind, rule, 0.1);
    e.steps = 1;
    e.engine = engine;
    return series(simulate(e, {}, 1), name)[0];
  };
  for (const Engine engine : {Engine::columns, Engine::symmetric, Engine::dense}) {
    CAPTURE(name_of(engine));
    CHECK(nds(power_law, "identity", "gd", engine) == Approx(2.62862135e-3).epsilon(1e-9));
    CHECK(nds(two_level, "identity", "gd", engine) == Approx(1.09508547e-3).epsilon(1e-9));
    CHECK(nds(power_law, "identity", "signgd", engine) == Approx(1.82098765e-5).epsilon(3e-9));
    CHECK(nds(power_law, "identity", "signgd", engine, "nds_effective") == Approx(1.0 / 3600).epsilon(1e-13));
    if (engine == Engine::columns) continue;
    CHECK(nds(power_law, "identity", "muon", engine) == Approx(2.80989300e-4).epsilon(3e-9));
    CHECK(nds(power_law, "identity", "muon", engine, "nds_predicted") ==
          Approx(nds(power_law, "identity", "muon", engine)).epsilon(1e-12));
    CHECK(nds(two_level, "identity", "muon", engine) == Approx(2.81291627e-4).epsilon(3e-9));
    CHECK(nds(two_level, "block_rotation", "signgd", engine, "nds_effective") ==
          Approx(1.0 / 3600).epsilon(1e-12));
  }
}

TEST_CASE("first updates of 64 classes in gain, penalty and remainder") {
  const Component power_law = {"power_law", {{"count", 64.0}, {"exponent", 1.0}}};
  Experiment muon = curved(power_law, "identity", "muon", 1), gd = curved(power_law, "identity", "gd", 10);
  const Result of_muon = simulate(muon, {}, 1), of_gd = simulate(gd, {}, 1);
  CHECK(series(of_muon, names[0])[0] == Approx(.9887659082).epsilon(1e-9));
  CHECK(series(of_muon, names[1])[0] == Approx(.007774201049).epsilon(1e-9));
  CHECK(series(of_muon, names[2])[0] == Approx(.003225090744).epsilon(1e-9));
  CHECK(series(of_gd, names[0])[0] == Approx(.712733269).epsilon(1e-8));
  CHECK(series(of_gd, names[1])[0] == Approx(.00865821034).epsilon(1e-8));
  CHECK(series(of_gd, names[2])[0] == Approx(.00893021711).epsilon(1e-8));
}

TEST_CASE("a quadrature measures and certifies the loss along the update") {
  const Component law = {"power_law", {{"count", 300.0}, {"exponent", 1.2}}};
  for (const auto& [rule, step_size] : {std::pair{"gd", 20.0}, {"muon", 0.5}}) {
    Experiment e = curved(law, "identity", rule, step_size);
    e.classes = {};
    e.engine = Engine::quadrature;
    const Result nodes = simulate(e, {}, 1);
    e.engine = Engine::symmetric;
    const Result exact = simulate(e, {}, 1);
    CAPTURE(rule, only_trajectory(nodes).quadrature_error);
    CHECK(only_trajectory(nodes).quadrature_nodes < 300);
    CHECK(only_trajectory(nodes).quadrature_error < 1e-10);
    CHECK(difference(nodes, exact) < 1e-9);
  }
}

TEST_CASE("50 digits round to the numbers that doubles come to") {
  for (const char* rule : {"gd", "muon", "adam"}) {
    Experiment e = curved(spectra()[0], "identity", rule, 0.4);
    e.engine = Engine::symmetric;
    const Result doubles = simulate(e, {}, 1);
    e.precision = 50;
    CAPTURE(rule);
    CHECK(difference(simulate(e, {}, 1), doubles) < 1e-12);
  }
}

TEST_CASE("laws of answers: the sum rule and the engines agree") {
  for (const char* rule : {"gd", "muon", "signgd"}) {
    for (const double noise : {0.0, 0.1}) {
      Experiment e = curved(spectra()[0], "identity", optimizer_row(rule), noise);
      e.answers = {"fan_in", with_defaults(answer_law_row("fan_in").parameters, {{"fan_in", 3.0}})};
      std::optional<Result> first;
      for (const Engine engine : {Engine::dense, Engine::symmetric, Engine::columns}) {
        e.engine = engine;
        if (!refusal(e).empty()) continue;
        const Result result = simulate(e, {}, 1);
        CAPTURE(rule, noise, name_of(engine));
        CHECK(sum_rule(result) < 1e-13);
        if (first) CHECK(difference(*first, result) < 1e-11);
        if (!first) first = result;
      }
    }
  }
}

TEST_CASE(
    "along updates by samples, with weight decay, momentum or a schedule, the loss of the population is measured") {
  for (const char* rule : {"gd", "momentum", "adam", "muon", "formula"}) {
    Experiment e = curved(spectra()[2], "identity", rule, 0.3);
    if (e.optimizers.front().rule == "formula")
      e.optimizers.front().parameters = {{"direction", "G/norm(G) + 0.1*W"}};
    e.optimizers.front().schedule = "cosine";
    e.data_mode = "minibatch";
    e.data_parameters = {{"batch", 4.0}};
    for (const Engine engine : {Engine::dense, Engine::symmetric, Engine::columns}) {
      e.engine = engine;
      if (!refusal(e).empty()) continue;
      CAPTURE(rule, name_of(engine));
      const Result result = simulate(e, {}, 1);
      CHECK(sum_rule(result) < 1e-13);
      // The last update would be of size 0.
      CHECK(series(result, names[0]).back() == 0);
      CHECK(series(result, "nds").back() > 0);
    }
  }
}

TEST_CASE("without run.curvature nothing is measured, and measuring changes no other number") {
  Experiment e = curved(spectra()[0], "identity", "muon", 0.4);
  e.digits = "on";
  const Result with = simulate(e, {}, 1);
  e.curvature = false;
  const Result without = simulate(e, {}, 1);
  for (const char* name : names) CHECK(only_trajectory(without).series.count(name) == 0);
  for (const auto& [name, values] : only_trajectory(without).series) {
    CAPTURE(name);
    // Bit for bit, NaN included.
    const auto& same = series(with, name);
    REQUIRE(same.size() == values.size());
    CHECK(std::memcmp(same.data(), values.data(), 8 * values.size()) == 0);
  }
}

TEST_CASE("at W = 0 every engine has the digits of a double, also of 600 classes whose entries are alike") {
  const Component two_level = {"two_level", {{"count", 600.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}};
  for (const auto& [rule, exact] :
       {std::pair{"gd", (120 * std::pow(0.8 / 120, 3) + 480 * std::pow(0.2 / 480, 3)) / 600 /
                            (120 * std::pow(0.8 / 120, 2) + 480 * std::pow(0.2 / 480, 2))},
        {"signgd", 4 * (1 - 1 / 600.0) / 600 / 600 / 600}}) {
    for (const char* kind : {"identity", "block_rotation"}) {
      if (rule == std::string("signgd") && kind != std::string("identity")) continue;
      for (const Engine engine : {Engine::columns, Engine::symmetric, Engine::dense}) {
        Experiment e = curved(two_level, kind, rule, 0.1);
        e.steps = 1;
        e.engine = engine;
        if (!refusal(e).empty()) continue;
        CAPTURE(rule, kind, name_of(engine));
        CHECK(series(simulate(e, {}, 1), "nds")[0] == Approx(exact).epsilon(2e-13));
      }
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
    for (const Engine engine : {Engine::columns, Engine::symmetric, Engine::dense}) {
      Experiment e =
          curved({"power_law", {{"count", 2.0}, {"exponent", 1.0}}}, "identity", c.rule, c.step_size);
      e.steps = 4;
      e.engine = engine;
      const Result result = simulate(e, {}, 1);
      CAPTURE(c.rule, name_of(engine));
      CHECK(series(result, names[1])[c.step] == Approx(c.expected[0]).epsilon(1e-8));
      CHECK(series(result, names[2])[c.step] == Approx(c.expected[1]).epsilon(c.step == 1 ? 1e-2 : 1e-8));
      CHECK(series(result, names[3])[c.step] == Approx(c.expected[2]).epsilon(1e-8));
    }
  }
}
