// Formulas are computed in scaled numbers: what is exactly 0 has no scale, so nothing underflows beside it.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "reference/cells.hpp"

using namespace laws;

namespace {

Experiment formula(double classes, const std::string& direction, const std::string& engine) {
  Experiment e = identity_run({"uniform", {{"count", classes}}}, "gd");
  e.optimizers[0] = {"it", "formula", 1000, {{"direction", direction}}};
  e.classes.kind = ClassRule::Kind::groups;
  e.steps = 1;
  e.engine = engine;
  e.digits = "on";
  return e;
}

/// The tiny value 1e-400 G |G|, scaled for the number of classes.
const std::string tiny = "(1e-200*G*abs(G)*1e-200)";

/// What is 0 at W = 0, in units of 1.
const std::vector<std::string> zeros = cells_of(R"(
    W | 0.1*W | W*abs(W) | 1e308*W*1e14 | tanh(W) | abs(W) | sqrt(abs(W)) | sign(W) | maximum(W, 0)
    exp(W)*W | where(W > 0, 1, 0) | where(W > 0, G, W) | (tanh(W) + 0.5*sign(W)) | (G - 1*G)*1e300)");

}  // namespace

TEST_CASE(
    "beside a value that is exactly 0 the smallest other keeps its sign, in every operation and algebra") {
  for (const std::string& zero : zeros) {
    for (const std::string& sum :
         {tiny + " + " + zero, zero + " + " + tiny, tiny + " - " + zero, "-(" + zero + " - " + tiny + ")",
          "where(" + tiny + " > " + zero + ", 1, where(" + zero + " > " + tiny + ", -1, 0))",
          "maximum(" + tiny + ", " + zero + ") + minimum(" + tiny + ", " + zero + ")"}) {
      for (const char* engine : {"columns", "symmetric", "dense"}) {
        const bool many = engine != std::string("dense");
        for (const double classes : {6.0, 1e250}) {
          if (!many && classes > 6) continue;
          CAPTURE(sum, engine, classes);
          const Result right = simulate(formula(classes, "sign(G)", engine), {}, 1),
                       seen = simulate(formula(classes, "sign(" + sum + ")", engine), {}, 1);
          CHECK(only_trajectory(seen).status == "complete");
          CHECK(series(seen, "loss") == series(right, "loss"));
          CHECK(series(seen, "digits").back() > 10);
        }
      }
    }
  }
}

TEST_CASE("beside a constant the smallest value keeps its sign") {
  for (const std::string function :
       {"clip(X, -1, 1)", "clip(X + W, -1, 1)", "maximum(X, -1)", "minimum(1, X)", "where(X < 1, X, 1)",
        "where(W < 1, X, 1)", "tanh(X)", "sin(tanh(X))", "ema(clip(X, -1, 1), 0.5)",
        "clip(1e300*X, -1e-300, 1e-300)"}) {
    for (const char* engine : {"columns", "symmetric", "dense"}) {
      const double classes = engine == std::string("dense") ? 6 : 1e250;
      std::string small = function;
      small.replace(small.find('X'), 1, tiny);
      if (small.find('X') < small.find("exp")) small.replace(small.find('X'), 1, tiny);
      CAPTURE(small, engine);
      const Result right = simulate(formula(classes, "sign(G)", engine), {}, 1),
                   seen = simulate(formula(classes, "sign(" + small + ")", engine), {}, 1);
      CHECK(series(seen, "loss") == series(right, "loss"));
      CHECK(series(seen, "digits").back() > 10);
    }
  }
}

TEST_CASE("a state or a definition that is 0 has no scale") {
  for (const char* engine : {"columns", "symmetric", "dense"}) {
    for (const std::string zero : {"B", "0.9*B", "z", "z + B"}) {
      Experiment e = formula(6, "sign(" + tiny + " + " + zero + ")", engine);
      e.optimizers[0].parameters.set("state.B", std::string("0.9*B + tanh(W)"));
      e.optimizers[0].parameters.set("let.z", std::string("tanh(W)"));
      CAPTURE(engine, zero);
      CHECK(series(simulate(e, {}, 1), "loss") ==
            series(simulate(formula(6, "sign(G)", engine), {}, 1), "loss"));
    }
  }
}

TEST_CASE("rules with states begin at 0 as sgd does where gradients are 1e-250") {
  for (const char* engine : {"columns", "symmetric"}) {
    const auto loss = [&](const std::string& rule, ParameterValues given, double step_size) {
      Experiment e = identity_run({"uniform", {{"count", 1e250}}}, rule);
      e.classes.kind = ClassRule::Kind::groups;
      e.steps = 2;
      e.engine = engine;
      e.optimizers[0] = {"it", rule, step_size, with_defaults(optimizer_row(rule).parameters, given)};
      return series(simulate(e, {}, 1), "loss_drop").at(1);
    };
    CAPTURE(engine);
    const double gd = loss("gd", {}, 1e250);
    CHECK(gd > 0);
    CHECK(loss("momentum", {}, 1e250) == Approx(gd).epsilon(1e-13));
    CHECK(loss("momentum", {{"nesterov", true}, {"momentum", 0.5}}, 1e250 / 1.5) ==
          Approx(gd).epsilon(1e-13));
    CHECK(loss("adam", {{"epsilon", 0.0}}, 1) == Approx(loss("signgd", {}, 1)).epsilon(1e-13));
  }
}

TEST_CASE("signs of rounding leave no digits, however few numbers the run has") {
  for (const std::string direction : {"sign((G + 1e8) - 1e8)", "sign((G - 1e3) + 1e3)"}) {
    for (const char* engine : {"columns", "symmetric"}) {
      for (const double classes : {1e9, 1e30, 1e250}) {
        Experiment e = formula(classes, direction, engine);
        e.optimizers[0].step_size = 2;
        CAPTURE(direction, engine, classes);
        CHECK(series(simulate(e, {}, 1), "digits").back() < 1);
      }
    }
  }
}

TEST_CASE("the rounding of a gradient that is 0 is no direction to a rule that does not see its size") {
  for (const double decay : {0.0, 0.05}) {
    for (const std::string rule : {"ngd", "signgd", "muon", "gd"}) {
      Experiment e = identity_run(power_law(3.0), rule, 0.1);
      // All answers have the same embedding, so no W tells them apart.
      e.answer_embedding = {"file",
                            with_defaults(embedding_row("file").parameters, {{"path", std::string("a")}})};
      e.optimizers.front().weight_decay = decay;
      e.push = true;
      e.steps = 4;
      const FileReaders readers{{}, [](const std::string&) { return Matrix(Matrix::Ones(1, 3)); }};
      const Trajectory run = only_trajectory(simulate(e, readers, 1));
      CAPTURE(decay, rule);
      for (const double x : run.series.at("push")) CHECK(std::abs(x) <= (rule == "gd" ? 1e-15 : 0));
    }
  }
}
