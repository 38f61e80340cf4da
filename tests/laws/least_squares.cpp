#include <catch2/catch.hpp>

#include "experiment/read.hpp"
#include "laws/overridden.hpp"
#include "model/embedding.hpp"
#include "sim/simulate.hpp"

using namespace rarefact;
using laws::Overrides, laws::operator+, laws::unless_refused;

namespace {

const char* const text = R"(
name = "squares"
[model]
loss = "least_squares"
[classes]
spectrum = "grouped_power_law"
groups = 3
group_size = 3
exponent = 1
[run]
steps = 12
digits = "off"
[[optimizer]]
name = "it"
rule = "gd"
step_size = 0.11
)";

Trajectory run_of(const Overrides& overrides) {
  Result result = simulate(parse_experiment(text, "squares.toml", overrides), {}, 1);
  return result.runs[0].trajectories[0];
}

/// Of each rule its keys.
std::map<std::string, Overrides> rules() {
  const auto rule = [](const std::string& name) { return Overrides{"optimizer.it.rule=" + name}; };
  return {{"gd", rule("gd")},
          {"ngd", rule("ngd")},
          {"momentum", rule("momentum")},
          {"signgd", rule("signgd")},
          {"tra_signgd", rule("tra_signgd")},
          {"adam", rule("adam") + Overrides{"optimizer.it.epsilon=1e-3"}},
          {"newton", rule("newton")},
          {"damped newton", rule("newton") + Overrides{"optimizer.it.damping=0.1"}},
          {"muon", rule("muon")},
          {"muon with momentum", rule("muon") + Overrides{"optimizer.it.momentum=0.9"}},
          {"muon after",
           rule("muon") + Overrides{"optimizer.it.momentum=0.9", "optimizer.it.momentum_order=after"}},
          {"smoothed muon", rule("muon") + Overrides{"optimizer.it.smoothing=0.05"}},
          // Its steps multiply what rounding leaves by up to 485.
          {"polynomial muon", rule("muon") + Overrides{"optimizer.it.polar=newton_schulz", "run.steps=3"}}};
}

/// What an engine makes of a run; nothing where it refuses.
std::optional<Trajectory> on(const std::string& engine, const Overrides& overrides) {
  return unless_refused([&] {
    return run_of(overrides + Overrides{"run.engine=" + engine, "run.push=true", "run.curvature=true"});
  });
}

}  // namespace

TEST_CASE("the loss of a quadratic has no orders beyond the second") {
  for (const auto& [name, rule] : rules()) {
    const auto run = on("dense", rule + Overrides{"data.query_noise=0.5"});
    CAPTURE(name);
    for (const double x : run->series.at("taylor_remainder")) CHECK(x == 0);
    const std::vector<double>&gain = run->series.at("first_order_gain"),
          &penalty = run->series.at("curvature_penalty"), &loss = run->series.at("loss");
    for (std::size_t t = 0; t + 1 < loss.size(); ++t)
      CHECK(loss[t + 1] - loss[t] == Approx(penalty[t] - gain[t]).margin(1e-15));
  }
}

TEST_CASE("gradients of large samples tend to that of the population") {
  const std::vector<Overrides> kinds = {
      {"data.query_noise=0.5"},
      {"data.query_noise=0.5", "data.label_noise=0.3"},
      {"data.queries=gaussian", "data.query_noise=0.3", "data.answer_noise=0.5"},
      {"data.queries=gaussian", "target.directions=random", "target.exponent=0.5",
       "embedding.answer.kind=gaussian", "embedding.answer.dimension=6"},
      {"data.queries=gaussian", "model.measurement=bilinear", "data.answer_noise=0.5",
       "target.directions=random"}};
  for (const Overrides& kind : kinds) {
    CAPTURE(kind);
    const auto one = [&](const Overrides& more) {
      return *on("dense", kind + Overrides{"run.steps=1", "optimizer.it.step_size=1"} + more);
    };
    const Trajectory population = one({}), few = one({"data.mode=minibatch", "data.batch=100"}),
                     many = one({"data.mode=minibatch", "data.batch=400000"});
    const auto off = [&](const Trajectory& run) {
      const auto last = [](const Trajectory& t) {
        return std::vector<double>(t.series.at("coefficient").end() - 3, t.series.at("coefficient").end());
      };
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i) sum += std::abs(last(run)[i] - last(population)[i]);
      return sum;
    };
    CHECK(off(few) > 0);
    CHECK(off(many) < 0.02);
    CHECK(off(many) < off(few));
    // The loss at W = 0 is that of the population, whatever is drawn.
    CHECK(many.series.at("loss")[0] == population.series.at("loss")[0]);
  }
}

TEST_CASE("closed forms of the modes are those of the runs") {
  const auto run = [](const Overrides& overrides) {
    return run_of(overrides + Overrides{"data.query_noise=0.5", "data.query_scale=1.5"});
  };
  const auto off = [](const Trajectory& t, const std::string& suffix, const std::string& name) {
    const std::vector<double>&x = t.series.at(name), &y = t.series.at(name + suffix);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
    return largest;
  };
  for (const char* rule : {"gd", "newton", "muon", "signgd", "tra_signgd"}) {
    for (const Overrides& more :
         {Overrides{}, Overrides{"optimizer.it.schedule=linear"},
          Overrides{"optimizer.it.schedule=linear", "optimizer.it.weight_decay=0.05"}}) {
      const Trajectory t = run(more + Overrides{std::string("optimizer.it.rule=") + rule, "run.steps=40"});
      CAPTURE(rule, more);
      for (const char* name : {"coefficient", "loss", "excess_loss", "class_loss"})
        CHECK(off(t, "_predicted", name) < 1e-13);
    }
  }
  for (const Overrides& rule : {Overrides{"optimizer.it.rule=gd"}, Overrides{"optimizer.it.rule=ngd"},
                                Overrides{"optimizer.it.rule=muon"},
                                Overrides{"optimizer.it.rule=muon", "optimizer.it.smoothing=0.1"}}) {
    CAPTURE(rule);
    const auto at = [&](const char* eta, const char* steps) {
      return off(run(rule + Overrides{std::string("optimizer.it.step_size=") + eta,
                                      std::string("run.steps=") + steps}),
                 "_predicted_flow", "coefficient");
    };
    const double coarse = at("0.02", "20"), fine = at("0.002", "200");
    CHECK(fine < 0.02);
    CHECK(fine <= 0.14 * coarse + 1e-13);
  }
}
