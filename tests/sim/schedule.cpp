// Step-size schedules against closed forms, in every engine.

#include "model/schedule.hpp"

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

/// tra_signgd without label noise: every update adds 2η_t to every margin, so that 1 - p̂ = 1/(1 + e^m/(K-1))
/// with m = 2 Σ η_t, whatever the classes and the engine.
Experiment walk(const std::string& engine, const std::string& schedule, double offset = 1) {
  const bool smooth = engine == "quadrature";
  const ChosenRow spectrum = smooth ? power_law(1e6, 1.2) : spectra()[4];
  const ChosenRow side = engine == "dense" ? embedding("orthogonal") : embedding("identity");
  Experiment e = experiment(spectrum, side, side, 0, optimizer_row("tra_signgd"));
  e.steps = 12;
  e.classes.kind = ClassRule::Kind::groups;
  e.optimizers[0].step_size = 0.9;
  e.optimizers[0].schedule = schedule;
  e.optimizers[0].schedule_offset = offset;
  return e;
}

/// Σ of the first `steps` step sizes, by the formulas as they stand in the documentation.
double sum_of_step_sizes(const OptimizerChoice& choice, std::int64_t steps, double all) {
  double sum = 0;
  for (double t = 0; t < static_cast<double>(steps); ++t) {
    const double factor = choice.schedule == "inverse_sqrt" ? 1 / std::sqrt(t + choice.schedule_offset)
                          : choice.schedule == "linear"     ? 1 - t / all
                          : choice.schedule == "cosine"     ? (1 + std::cos(std::acos(-1.0) * t / all)) / 2
                                                            : 1;
    sum += choice.step_size.number * factor;
  }
  return sum;
}

}  // namespace

TEST_CASE("every engine takes the step sizes of the schedule, the first one at t = 0") {
  for (const ScheduleRow& row : schedule_catalogue()) {
    for (const std::string engine : {"columns", "symmetric", "dense", "quadrature", "50 digits"}) {
      const Experiment e = walk(engine, row.name, row.name == "inverse_sqrt" ? 2.5 : 1);
      const Result result = on_engine(e, engine);
      const auto& error = only_trajectory(result).series.at("error");
      const double classes = engine == "quadrature" ? 1e6 : 24;
      const std::size_t rows = error.size() / static_cast<std::size_t>(e.steps + 1);
      for (std::int64_t t = 0; t <= e.steps; ++t) {
        const double margin = 2 * sum_of_step_sizes(e.optimizers[0], t, 12);
        const double exact = 1 / (1 + std::exp(margin - std::log(classes - 1)));
        CAPTURE(row.name, engine, t);
        // Margins of up to 22 carry roundings of some 1e-15 into errors, relatively; the embeddings' products
        // some more.
        CHECK(error[static_cast<std::size_t>(t) * rows] ==
              Approx(exact).epsilon(engine == "dense" ? 1e-11 : 1e-13).margin(0));
        CHECK(error[static_cast<std::size_t>(t + 1) * rows - 1] ==
              Approx(exact).epsilon(engine == "dense" ? 1e-11 : 1e-13).margin(0));
      }
    }
  }
}

TEST_CASE("a constant schedule changes no bit") {
  for (const char* rule : {"gd", "muon", "tra_signgd"}) {
    Experiment e = walk("symmetric", "constant");
    e.optimizers[0] = {rule, rule, 0.7, with_defaults(optimizer_row(rule).parameters, {})};
    const Result plain = simulate(e, {}, 1);
    CHECK(only_trajectory(plain).series.contains("error_predicted"));
    e.optimizers[0].schedule_offset = 7;  // of no schedule but inverse_sqrt
    CHECK(distance(plain, simulate(e, {}, 1)) == 0);
    e.optimizers[0].schedule = "1";
    CHECK(distance(plain, simulate(e, {}, 1)) == 0);
    for (const char* schedule : {"inverse_sqrt", "linear", "cosine", "1-0.5*step/steps"}) {
      e.optimizers[0].schedule = schedule;
      CAPTURE(rule, schedule);
      CHECK(distance(plain, simulate(e, {}, 1)) > 1e-3);
    }
  }
}

namespace {

/// The largest relative difference between errors, and losses, and what is predicted.
double off(const Result& result, const std::string& name) {
  const auto& series = only_trajectory(result).series;
  const auto &measured = series.at(name), &predicted = series.at(name + "_predicted");
  double most = 0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    most = std::max(most, std::abs(measured[i] - predicted[i]) / std::abs(measured[i]));
  return most;
}

}  // namespace

TEST_CASE(
    "predictions take any step sizes and decay, and where they are exact agree with runs, in 50 digits to 1e-15") {
  struct Line {
    const char* rule;
    bool coupled;
    double noise, start = 0, answer_cosine = 0;
  };
  int started = 0;
  for (const auto& [rule, coupled, noise, start, answer_cosine] :
       {Line{"gd", false, 0}, Line{"gd", true, 0.1}, Line{"gd", false, 0.1, 0.8},
        Line{"gd", false, 0, 0.3, 0.6}, Line{"tra_signgd", false, 0, 0.8}, Line{"tra_signgd", false, 0.1},
        Line{"signgd", false, 0.1, 0.8}, Line{"ngd", false, 0.1, 0.8}, Line{"newton", false, 0}}) {
    for (const char* schedule : {"constant", "cosine", "where(step<9,1,0.25)"}) {
      for (const int precision : {16, 50}) {
        if (precision == 50 && rule == std::string("newton")) continue;
        Experiment e = experiment(spectra()[2], embedding("identity"), embedding("identity"), noise,
                                  optimizer_row(rule));
        e.steps = 20;
        e.engine = precision == 50 ? "symmetric" : "dense";
        e.precision = precision;
        e.curvature = rule != std::string("newton");
        if (answer_cosine > 0) e.answer_embedding = embedding("equicorrelated", {{"rho", answer_cosine}});
        if (start > 0) e.init = {"aligned", {{"scale", start}}};
        OptimizerChoice& choice = e.optimizers.front();
        choice.schedule = schedule;
        choice.warmup = 4;
        choice.weight_decay = 0.013;
        choice.weight_decay_kind = coupled ? "coupled" : "decoupled";
        CAPTURE(rule, coupled, noise, start, schedule, precision);
        const Result result = simulate(e, {}, 1);
        // The dense engine rounds margins of up to 20.
        const double tolerance = precision == 50 ? 1e-15 : rule == std::string("newton") ? 1e-10 : 3e-13;
        CHECK(off(result, "error") < tolerance);
        CHECK(off(result, "class_loss") < tolerance);
        // Where W starts elsewhere and decays there may be none.
        const bool sharpness = only_trajectory(result).series.contains("nds_predicted");
        if (start == 0) CHECK(sharpness == e.curvature);
        if (sharpness) CHECK(off(result, "nds") < (precision == 50 ? 1e-14 : 1e-9));
        started += sharpness && start > 0;
      }
    }
  }
  CHECK(started > 0);
}

TEST_CASE("under decay Muon's margin is predicted to O(1/K), and ends at 1/λ or at the optimum") {
  for (const double noise : {0.0, 0.1}) {
    Experiment e =
        experiment({"grouped_power_law", {{"groups", 4.0}, {"group_size", 1e8}, {"exponent", 1.5}}},
                   embedding("identity"), embedding("identity"), noise, optimizer_row("muon"));
    e.classes.kind = ClassRule::Kind::groups;
    e.steps = 200;
    OptimizerChoice& choice = e.optimizers.front();
    choice.step_size = 0.5;
    choice.schedule = "linear";
    choice.weight_decay = 0.04;
    const Result result = simulate(e, {}, 1);
    CHECK(off(result, "error") < 1e-6);
    choice.weight_decay_kind = "coupled";
    const Result coupled = simulate(e, {}, 1);
    CHECK(!only_trajectory(coupled).series.contains("error_predicted"));
  }
}
