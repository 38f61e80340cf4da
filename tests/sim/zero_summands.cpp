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
    exp(W)*W | (exp(W) - 1) | (1 - cos(W)) | log(1 + abs(W)) | where(W > 0, 1, 0) | where(W > 0, G, W)
    (tanh(W) + 0.5*sign(W)) | (G - 1*G)*1e300)");

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

TEST_CASE("what entries beyond the range of doubles leave is their sign, and the run says so") {
  const ChosenRow far = power_law(4, 400), uniform{"uniform", {{"count", 1e250}}};
  const std::vector<std::pair<ChosenRow, std::string>> cases = {{far, "G*abs(G)"},
                                                                {far, "tanh(G*abs(G))"},
                                                                {far, "where(G*abs(G) > 0, 1, -1)"},
                                                                {far, "G*abs(G) + 0.1*W"},
                                                                {uniform, "G**3 + 0.1*W"},
                                                                {uniform, "G*abs(G)*abs(G) - 0.1*W"},
                                                                {uniform, "where(G**3 > W, 1, -1)"},
                                                                {uniform, "G*abs(G)*abs(G) + decay(W, 0.5)"},
                                                                {far, "sign(G)*exp(-1e-3/abs(G))"},
                                                                {uniform, "G**3/abs(G)**3"}};
  for (const auto& [spectrum, direction] : cases) {
    for (const char* engine : {"columns", "symmetric", "dense"}) {
      if (engine == std::string("dense") && spectrum.kind == "uniform") continue;
      const auto run = [&](const std::string& signs) {
        Experiment e = formula(4, "sign(" + signs + ")", engine);
        e.spectrum = spectrum;
        return only_trajectory(simulate(e, {}, 1));
      };
      const Trajectory right = run("G"), seen = run(direction);
      CAPTURE(direction, engine, seen.status_detail);
      CHECK(seen.status == "complete");
      CHECK(seen.series.at("loss") == right.series.at("loss"));
      CHECK(seen.status_detail.find("leave the range of double precision") != std::string::npos);
      CHECK(right.status_detail.empty());
    }
  }
}

TEST_CASE("sums over K² entries are right where K² exceeds the range of doubles") {
  const auto run = [&](const std::string& factor) {
    Experiment e = formula(1e160, "polar(G)*" + factor, "symmetric");
    e.optimizers[0].step_size = 370;  // ln K = 368.4
    return simulate(e, {}, 1);
  };
  const Result right = run("1");
  for (const std::string one : {"sqrt(abs(inner(G, G)))/norm(G)", "abs(inner(G, 2*G)/inner(W + 2*G, G))",
                                "rms(G)*1e160/norm(G)", "mean(abs(G))/mean(abs(2*G))*2",
                                "minimum(1, sum(abs(G))/2)", "minimum(1, 1/(inner(G, G)/norm(G)**2))"}) {
    CAPTURE(one);
    const Result seen = run(one);
    CHECK(only_trajectory(seen).status == "complete");
    CHECK(series(seen, "loss").back() == Approx(series(right, "loss").back()).epsilon(1e-9));
    CHECK(series(seen, "digits").back() > 10);
  }
}

TEST_CASE("products that overflow in one unit are computed in another") {
  for (const char* engine : {"columns", "symmetric"}) {
    const auto loss = [&](const std::string& direction) {
      return series(simulate(formula(1e250, direction, engine), {}, 1), "loss").back();
    };
    CHECK(loss("G*abs(G)*abs(G)/maxabs(G*abs(G)*abs(G) + 0.1*W)") ==
          Approx(loss("G/maxabs(G)")).epsilon(1e-9).margin(0));
  }
}

TEST_CASE(
    "an overflow that reads a new state leaves the state as it is, and one that saturates leaves all digits") {
  for (const char* engine : {"columns", "symmetric", "dense"}) {
    std::vector<double> losses;
    for (const char* size : {"500", "1000"}) {
      Experiment e = formula(100, "B/(1 + exp(" + std::string(size) + "*sign(B*colnorm(B))))", engine);
      e.optimizers[0].parameters.set("state.B", std::string("0.9*B + tanh(0.001*G)"));
      e.steps = 4;
      const Result result = simulate(e, {}, 1);
      CAPTURE(engine, size);
      losses.push_back(series(result, "loss").back());
      CHECK(series(result, "digits").back() > 10);
    }
    CHECK(losses[0] == Approx(losses[1]).epsilon(1e-12));
  }
}

TEST_CASE("0·∞ ends the run, also where a comparison would hide it") {
  const Result result =
      simulate(formula(6, "where(minimum(G, 0)*exp(1e9*abs(G)) > 0 - 1, G, 0 - 1*G)", "dense"), {}, 1);
  CHECK(only_trajectory(result).status != "complete");
}

TEST_CASE("a number that is not finite ends the run") {
  const Result run = simulate(formula(6, "G/(1 + norm(exp(1000*sign(G))))", "dense"), {}, 1);
  CHECK(only_trajectory(run).status == "diverged");
  CHECK_THAT(only_trajectory(run).status_detail, Catch::Contains("is not finite"));
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
