// Weight decay, schedules and warm-ups of a run, beside formulas that decay by hand and beside numbers of another program.

#include <array>
#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/margin.hpp"
#include "model/smooth_law.hpp"
#include "sim/stepper.hpp"
#include "theory/margin_paths.hpp"

using namespace laws;

namespace {

/// The run with definitions of a formula instead of its rule.
Experiment by_hand(Experiment e, ParameterValues definitions) {
  OptimizerChoice& choice = e.optimizers.front();
  choice = {choice.name, "formula", choice.step_size, std::move(definitions), choice.schedule};
  return e;
}

Experiment measured(const std::string& rule, const std::string& side, const std::string& engine) {
  Experiment e = experiment(spectra()[2], embedding(side), embedding(side), 0.1, optimizer_row(rule));
  e.engine = engine;
  e.steps = 12;
  e.spectral_metrics = "on";
  e.push = e.curvature = true;
  e.optimizers.front().weight_decay = 0.05;
  // η_t is 0 in the second half.
  e.optimizers.front().schedule = "where(step<6,1,0)";
  return e;
}

ParameterValues formula(const std::string& direction) {
  return {{"direction", direction}};
}

double last(const Result& result, const std::string& name) {
  return only_trajectory(result).series.at(name).back();
}

/// Of class l of K, from its error.
double margin_of(const Result& result, std::size_t from_last, double classes) {
  const auto& error = only_trajectory(result).series.at("error");
  const double x = error[error.size() - from_last];
  return std::log((1 - x) / x * (classes - 1));
}

}  // namespace

TEST_CASE("an update with decay makes (1 - ηλ) W - η D of W, also as a compensated sum") {
  for (const bool carries : {false, true}) {
    DenseMatrix d{Matrix::Random(3, 4)};
    TrainingState<DenseMatrix> state;
    state.w = {Matrix::Random(3, 4)};
    Matrix expected = state.w.entries;
    SingleUpdates<DenseMatrix> stepper(carries);
    for (const double size : {0.5, 0.25, 0.125}) {
      state.direction.matrix = &d;
      state.next = {size, 0.1};
      expected = (1 - size * 0.1) * expected - size * d.entries;
      REQUIRE(stepper.advance(state, nullptr));
    }
    // A few roundings of numbers below 2.
    CHECK((state.w.entries - expected).cwiseAbs().maxCoeff() < 4e-15);
    CHECK(state.updates == 3);
  }
}

TEST_CASE(
    "decay changes W and every measure of the update as the term λW of a formula does, also at steps of size 0") {
  struct Line {
    const char *rule, *kind, *direction;
  };
  for (const auto& [rule, kind, direction] :
       {Line{"gd", "decoupled", "G + 0.05*W"}, Line{"gd", "coupled", "G + 0.05*W"},
        Line{"muon", "decoupled", "polar(G) + 0.05*W"}, Line{"muon", "coupled", "polar(G + 0.05*W)"},
        Line{"tra_signgd", "decoupled", "ambient(sign(T)) + 0.05*W"},
        Line{"ngd", "coupled", "(G + 0.05*W)/norm(G + 0.05*W)"},
        Line{"momentum", "coupled", "ema(G + 0.05*W, 0.9)/0.1"}}) {
    for (const char* engine : {"symmetric", "dense"}) {
      for (const char* side : {"identity", "orthogonal", "equicorrelated"}) {
        Experiment e = measured(rule, side, engine);
        if (embedding_row(side).equicorrelated) e.query_embedding.parameters.set("rho", 0.3);
        e.answer_embedding = e.query_embedding;
        e.optimizers.front().weight_decay_kind = kind;
        if (rule == std::string("muon")) e.optimizers.front().parameters.set("momentum", 0.0);
        if (!takes(e, engine)) continue;
        CAPTURE(rule, kind, engine, side);
        const Result kept = simulate(e, {}, 1), other = simulate(by_hand(e, formula(direction)), {}, 1);
        for (const auto& [name, series] : only_trajectory(kept).series) {
          const auto& own = only_trajectory(other).series;
          // Measures of what the rule intends are not those of the sum.
          if (!own.contains(name) || name.find("predicted") != std::string::npos) continue;
          CAPTURE(name);
          double most = 0, off = 0;
          for (std::size_t i = 0; i < series.size(); ++i) {
            if (std::isnan(series[i]) && std::isnan(own.at(name)[i])) continue;
            most = std::max(most, std::abs(series[i]));
            off = std::max(off, std::abs(series[i] - own.at(name)[i]));
          }
          CHECK(off <= 1e-10 * std::max(most, 1e-3));
        }
      }
    }
  }
}

TEST_CASE(
    "gd with cosine and decay, a warm-up before the cosine, and a power that changes have known values") {
  // By a dense program in NumPy.
  Experiment e = identity_run(power_law(4, 1.2), "gd", 0.1);
  e.steps = 60;
  e.optimizers.front().step_size = 3.0;
  e.optimizers.front().schedule = "cosine";
  e.optimizers.front().weight_decay = 0.01;
  for (const char* engine : {"columns", "symmetric", "dense", "50 digits"}) {
    for (const char* kind : {"decoupled", "coupled"}) {
      CAPTURE(engine, kind);
      e.optimizers.front().weight_decay_kind = kind;
      const Result result = on_engine(e, engine);
      CHECK(margin_of(result, 4, 4) == Approx(3.10027779297551).epsilon(1e-13));
      CHECK(margin_of(result, 1, 4) == Approx(2.17466012696924).epsilon(1e-13));
    }
  }
  const ChosenRow side = embedding("orthogonal");
  e = experiment(power_law(8, 1.2), side, side, 0.1, optimizer_row("formula"));
  e.steps = 50;
  OptimizerChoice warmed{"p", "formula", 0.5, formula("polar(G)"), "cosine"};
  warmed.warmup = 10;
  const OptimizerChoice by_formula{
      "p", "formula", 0.5,
      formula("where(t < 10.5, minimum(t/10, 1), (1 + cos(pi*(step - 10)/(steps - 10)))/2)*polar(G)")};
  for (const char* engine : {"symmetric", "dense", "50 digits"}) {
    for (const OptimizerChoice& choice : {warmed, by_formula}) {
      CAPTURE(engine, choice.schedule);
      e.optimizers = {choice};
      CHECK(last(on_engine(e, engine), "loss") == Approx(0.467058148737104).epsilon(1e-12));
    }
  }
  e = experiment(power_law(20, 1.2), side, side, 0, optimizer_row("formula"));
  e.steps = 40;
  for (const std::string power : {"0.25 - 0.5*t/40", "0.25 - (step + 1)/(2*steps)"}) {
    for (const char* engine : {"symmetric", "dense"}) {
      e.optimizers.front() = {
          "p", "formula", 0.1, {{"let.x", "power(G, " + power + ")"}, {"direction", "x/norm(x)*sqrt(20)"}}};
      CHECK(last(on_engine(e, engine), "loss") == Approx(0.25127016701549).epsilon(1e-12));
    }
  }
}

TEST_CASE("a schedule that is not finite at the last step leaves measures NaN, and ηλ > 1 is always noted") {
  Experiment e = measured("gd", "identity", "dense");
  e.optimizers.front().schedule = "1/(steps-step)";
  const Result result = simulate(e, {}, 1);
  CHECK(only_trajectory(result).status == "complete");
  CHECK(std::isnan(last(result, "curvature_penalty")));
  CHECK(only_trajectory(result).series.at("curvature_penalty").front() > 0);
  CHECK(std::isfinite(last(result, "push")));
  e.optimizers.front().weight_decay = 1;
  e.optimizers.front().schedule = "constant";
  CHECK(only_trajectory(simulate(e, {}, 1)).status_detail ==
        "from step 0 on η_t λ = 3.1 is above 1: decay alone would change the sign of W");
  e.steps = 600;
  e.optimizers.front().weight_decay = 4;
  const Result diverged = simulate(e, {}, 1);
  CHECK(only_trajectory(diverged).status == "diverged");
  CHECK_THAT(only_trajectory(diverged).status_detail,
             Catch::Contains("after step") && Catch::Contains("; from step 0 on η_t λ = 12.4 is above 1"));
}

TEST_CASE("a decay whose value is 0 is none: newton takes it coupled, and rules leap") {
  Experiment e = identity_run(power_law(12, 1), "newton");
  e.optimizers.front().weight_decay = StepSize();
  e.optimizers.front().weight_decay.expression = "0*K";
  e.optimizers.front().weight_decay_kind = "coupled";
  CHECK(refusal(e).empty());
  Experiment plain = e;
  plain.optimizers.front().weight_decay = StepSize();
  CHECK(distance(simulate(e, {}, 1), simulate(plain, {}, 1)) == 0);
  e = identity_run(power_law(12, 1), "ngd");
  e.steps = 2'000'000;
  e.record.kind = RecordRule::Kind::log;
  e.engine = "columns";
  e.optimizers.front().weight_decay = StepSize();
  e.optimizers.front().weight_decay.expression = "0*K";
  CHECK(only_trajectory(simulate(e, {}, 1)).updates < 1'000'000);
}

TEST_CASE(
    "under coupled decay W of muon keeps the null vector of gradients, and rounding adds no direction") {
  for (const std::string side : {"identity", "orthogonal", "equicorrelated"})
    for (const char* engine : {"symmetric", "dense"}) {
      const ChosenRow sides = side == "equicorrelated" ? embedding(side, {{"rho", 0.3}}) : embedding(side);
      Experiment e = experiment(power_law(24, 1.2), sides, sides, 0.1, optimizer_row("muon"));
      e.engine = engine;
      e.steps = 40;
      e.digits = e.spectral_metrics = "on";
      e.optimizers.front().parameters.set("momentum", 0.0);
      e.optimizers.front().step_size = 0.3;
      e.optimizers.front().weight_decay = 0.01;
      e.optimizers.front().weight_decay_kind = "coupled";
      CAPTURE(side, engine);
      const Result result = simulate(e, {}, 1);
      CHECK(series(result, "digits").back() > 6);
      for (const double leak : series(result, "update_null_space_leakage")) CHECK(leak < 1e-12);
    }
}

TEST_CASE("a schedule that gives no step size after a million steps ends the run there") {
  Experiment e =
      experiment(spectra()[3], embedding("identity"), embedding("identity"), 0, optimizer_row("gd"));
  e.engine = "columns";
  e.classes.kind = ClassRule::Kind::groups;
  e.steps = 1'000'010;
  e.record.kind = RecordRule::Kind::log;
  e.optimizers.front().schedule = "sqrt(1000003-step)";
  e.optimizers.front().step_size = 1e-3;
  const Result result = simulate(e, {}, 1);
  CHECK(only_trajectory(result).status == "diverged");
  CHECK(only_trajectory(result).status_step == 1'000'004);
  CHECK_THAT(only_trajectory(result).status_detail,
             Catch::Contains("the schedule gives η_t = nan at step 1000004"));
}

TEST_CASE(
    "gradient descent with decay leaps to its fixed point, l2_margin, with 1e15 distinct classes in seconds") {
  for (const auto& [exponent, size, decay] : {std::array{1.5, 1.0, 1e-4}, {1.2, 0.3, 1e-5}}) {
    Experiment e = experiment(power_law(1e15, exponent), embedding("identity"), embedding("identity"), 0,
                              optimizer_row("gd"));
    e.classes = {ClassRule::Kind::list,
                 {{ClassAt::Kind::rank, 1}, {ClassAt::Kind::rank, 16}, {ClassAt::Kind::last}}};
    e.steps = 1'000'000'000;
    e.record = {RecordRule::Kind::list, 1, {0, 1000, 1'000'000, 1'000'000'000}};
    e.optimizers.front().step_size = size;
    e.optimizers.front().weight_decay = decay;
    CAPTURE(exponent, size, decay);
    const Result result = simulate(e, {}, 1);
    CHECK(only_trajectory(result).status == "complete");
    CHECK(only_trajectory(result).updates < 100'000);
    const double total = weight_of_ranks(*classes_of(e).law, 1e15);
    std::size_t from_last = 3;
    for (const double rank : {1.0, 16.0, 1e15}) {
      const double p = std::pow(rank, -exponent) / total;
      const auto& error = only_trajectory(result).series.at("error");
      CHECK(error[error.size() - from_last--] ==
            Approx(error_of_margin<double>(l2_margin<double>(p, 1e15, decay, 0), 1e15))
                .epsilon(1e-12)
                .margin(0));
    }
  }
}

TEST_CASE("leaps with decay agree with single updates, with label noise and without") {
  for (const auto& [noise, decay] : {std::pair(0.0, 1e-12), std::pair(0.1, 1e-4)}) {
    Experiment e = identity_run(power_law(12, 1.5), "gd", noise);
    e.engine = "columns";
    e.classes.kind = ClassRule::Kind::groups;
    e.steps = 1'000'001;
    e.record.kind = RecordRule::Kind::log;
    e.optimizers.front().step_size = 0.7;
    e.optimizers.front().weight_decay = decay;
    CAPTURE(noise, decay);
    const Result leaps = simulate(e, {}, 1);
    e.fast_forward = "off";
    const Result single = simulate(e, {}, 1);
    CHECK(only_trajectory(leaps).updates < 300'000);
    CHECK(only_trajectory(leaps).status == "complete");
    // Single updates round a million times.
    check_close(series(leaps, "error"), series(single, "error"), 1e-9);
  }
}
