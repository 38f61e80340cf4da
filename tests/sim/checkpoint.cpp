// Trainings that are interrupted at every step and go on from their checkpoints, to the same bytes.

#include "sim/checkpoint.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <stdexcept>

#include "core/archive.hpp"
#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "reference/with_defaults.hpp"
#include "results/result_fields.hpp"
#include "sim/resolve.hpp"

using namespace laws;

namespace {

/// In memory; `round` changes only if somebody says so.
struct KeptInMemory : Checkpoints {
  std::map<std::string, std::vector<std::byte>> states = {};
  std::mutex mutex = {};
  bool at_every_step = false;
  mutable std::uint64_t asked = 0;
  std::size_t over_count = 0;

  KeptInMemory() { worth_storing = {}; }
  std::vector<std::byte> kept(const std::string& training) override {
    const std::lock_guard lock(mutex);
    return states[training];
  }
  std::uint64_t round() const override { return at_every_step ? ++asked : asked; }
  void keep(const std::string& training, std::vector<std::byte> state, bool over) override {
    const std::lock_guard lock(mutex);
    states[training] = std::move(state);
    over_count += over ? 1 : 0;
  }
};

/// Every bit of what a simulation found, not-a-number or not.
std::vector<std::byte> bytes_of(const Result& result) {
  Archive archive;
  for (Run run : result.runs) {
    for (const ResultField& field : result_fields())
      visit_field(field, run, [&](auto& value) { archive(value); });
    for (Trajectory& t : run.trajectories) archive(t.optimizer, t.series);
  }
  return archive.take();
}

/// Queries of three answers, of one, and of all four, whose shares differ.
FileReaders readers_of_pairs() {
  FileReaders readers;
  readers.pairs = [](const std::string&) {
    return PairCounts{{0, 0, 0, 1, 2, 2, 2, 2}, {0, 1, 2, 3, 0, 1, 2, 3}, {5, 3, 3, 4, 1, 1, 2, 2}, 3, 4};
  };
  return readers;
}
const FileReaders readers = readers_of_pairs();

/// One step a process, each process stopped; counts the processes.
std::pair<Result, int> stopped_at_every_step(const Experiment& e) {
  KeptInMemory checkpoints;
  for (int processes = 1;; ++processes) {
    std::int64_t steps = 0;
    try {
      return {simulate(e, readers, 1,
                       {[&](const std::string&, std::int64_t, std::int64_t) {
                          if (++steps == 1) throw StoppedEarly{};
                        },
                        &checkpoints}),
              processes};
    } catch (const StoppedEarly&) {
    }
  }
}

/// A rule with an ε is also trained without it.
int trainings(const Experiment& e) {
  return epsilon_key(e.optimizers[0].parameters).empty() ? 1 : 2;
}

struct Killed {};

/// Killed once at every step, a step after the state that was kept.
void killed_everywhere(const Experiment& e, const std::vector<std::byte>& undisturbed) {
  for (std::int64_t last = 2; last <= e.steps; ++last) {
    KeptInMemory checkpoints;
    checkpoints.at_every_step = true;
    std::int64_t steps = 0;
    try {
      simulate(e, {}, 1,
               {[&](const std::string&, std::int64_t, std::int64_t) {
                  if (++steps == last - 1) checkpoints.at_every_step = false;
                  if (steps == last) throw Killed{};
                },
                &checkpoints});
    } catch (const Killed&) {
    }
    checkpoints.at_every_step = true;
    steps = 0;
    const Result resumed =
        simulate(e, {}, 1, {[&](const std::string&, std::int64_t, std::int64_t) { ++steps; }, &checkpoints});
    CHECK((bytes_of(resumed) == undisturbed));
    const bool one_training =
        e.optimizers.size() == 1 && !e.optimizers[0].search && e.engine != "quadrature" && trainings(e) == 1;
    if (one_training) CHECK(steps == e.steps - (last - 1));
  }
}

/// Another legal value of a parameter, or several.
std::vector<Value> other_values(const Parameter& parameter) {
  if (parameter.kind == Kind::boolean) return {true, false};
  if (!parameter.choices.empty()) {
    std::vector<Value> all;
    for (const std::string& choice : parameter.choices) all.push_back(choice);
    return all;
  }
  if (parameter.kind == Kind::number) return {0.5};
  return {};
}

/// A rule with its defaults, then with every parameter changed in turn, with and without momentum.
std::vector<ParameterValues> settings(const OptimizerRow& row) {
  std::vector<ParameterValues> all = {{}};
  for (const Parameter& parameter : row.parameters) {
    for (const Value& value : other_values(parameter)) all.push_back({{parameter.name, value}});
  }
  const bool remembers = std::any_of(row.parameters.begin(), row.parameters.end(),
                                     [](const Parameter& p) { return p.name == "momentum"; });
  for (std::size_t i = 0, n = all.size(); remembers && i < n; ++i) {
    all.push_back(all[i]);
    all.back().set("momentum", 0.8);
  }
  return all;
}

Experiment small(const OptimizerRow& row, const ParameterValues& setting, const std::string& engine) {
  const ChosenRow identity = embedding("identity"), few = embedding("gaussian", {{"dimension", 5.0}});
  const ChosenRow& side = engine == "dense" ? few : identity;
  Experiment e = experiment(spectra()[engine == "dense" ? 2 : 4], side, side, 0.1, row);
  e.engine = engine;
  e.steps = 7;
  e.record = {RecordRule::Kind::list, 1, {0, 2, 3, 7}};
  e.spectral_metrics = "on";
  e.push = true;
  e.rho_epsilon = engine == "columns" ? 0 : 0.1;
  e.optimizers[0].parameters = with_defaults(row.parameters, setting);
  e.optimizers[0].schedule = "cosine";
  return e;
}

/// A dense run of identical queries, which has a twin on engine symmetric.
Experiment with_twin(double answers = 2) {
  Experiment e = small(optimizer_row("muon"), {}, "dense");
  e.query_embedding = e.answer_embedding = embedding("identity");
  e.spectrum = {"uniform", {{"count", 8.0}}};
  e.answers = {"right_set", {{"size", answers}}};
  e.label_noise = e.rho_epsilon = 0;
  e.push = false;
  return e;
}

/// Formulas that remember.
const std::vector<ParameterValues> remembering = {
    {{"state.m", std::string("0.95*m + G")}, {"direction", std::string("polar(m)")}},
    {{"state.m", std::string("0.99*m + 0.01*G")}, {"direction", std::string("sign(0.9*prev(m) + 0.1*G)")}},
    {{"state.n", std::string("n + 1")}, {"direction", std::string("G/n + 0.1*W")}},
    {{"direction", std::string("ema(G, 0.9)/(1 - 0.9**t)/(sqrt(ema(G**2, 0.99)) + 1e-8)")}},
    {{"state.v", std::string("0.9*v + colnorm(G)")}, {"direction", std::string("G/v")}},
    {{"state.L", std::string("0.9*L + G@G.T")}, {"direction", std::string("power(L, -0.5)@G")}}};

}  // namespace

TEST_CASE("every rule goes on from every step to the same bytes: dense, symmetric and columns") {
  for (const OptimizerRow& row : complete_rules()) {
    for (const ParameterValues& setting : settings(row)) {
      for (const std::string engine : {"dense", "symmetric", "columns"}) {
        if (engine == "symmetric" && row.reads_hessian) continue;
        const Experiment e = small(row, setting, engine);
        const Symmetries symmetries = row.symmetries_of(e.optimizers[0].parameters);
        if (engine == "columns" && !symmetries.keeps_wrong_ties) continue;
        if (row.problems && !row.problems(e.optimizers[0].parameters).empty()) continue;
        std::string text = row.name + " " + engine;
        for (const auto& [name, value] : setting.all()) text += " " + name + " = " + to_toml(value);
        CAPTURE(text);
        const auto undisturbed = bytes_of(simulate(e, {}, 1));
        const auto [result, processes] = stopped_at_every_step(e);
        CHECK((bytes_of(result) == undisturbed));
        CHECK(processes == 1 + 7 * trainings(e));
        if (setting == ParameterValues{}) killed_everywhere(e, undisturbed);
      }
    }
  }
}

TEST_CASE("whatever a run consists of, it goes on from every step to the same bytes") {
  struct Case {
    std::string name;
    Experiment e;
    int processes = 0;    ///< one a step of every training, and the last; 0: not known
    bool killed = false;  ///< also from a step before that at which it ended
  };
  std::vector<Case> cases;
  const RecordRule all{RecordRule::Kind::all};
  for (const std::string engine : {"dense", "symmetric"}) {
    for (const double step_size : {0.03, 0.1, 0.405}) {
      Case& c =
          cases.emplace_back(Case{"the age of a polar factor's basis, which counts only after twenty steps",
                                  small(optimizer_row("muon"), {{"momentum", 0.5}}, engine)});
      c.e.steps = 70;
      c.e.record = all;
      c.e.optimizers[0].step_size = step_size;
    }
  }
  for (const std::string engine : {"dense", "symmetric", "columns"}) {
    cases.push_back({"a repetition for digits", small(optimizer_row("momentum"), {}, engine), 1 + 2 * 7});
    cases.back().e.digits = "on";
  }
  for (const char* rule : {"muon", "adam", "momentum"}) {
    Case& c = cases.emplace_back(Case{"50 digits", small(optimizer_row(rule), {}, "symmetric"), 4});
    c.e.precision = 50;
    c.e.steps = 3;
    c.e.record = all;
  }
  for (const char* rule : {"muon", "adam"}) {
    for (const double rho_epsilon : {0.0, 0.1}) {
      Case& c = cases.emplace_back(Case{"quadratures on nodes and on panels, those on fewer nodes kept",
                                        small(optimizer_row(rule), {}, "quadrature"), 0, rho_epsilon == 0});
      c.e.spectrum = power_law(1e4, 1.2);
      c.e.label_noise = 0;
      c.e.quadrature_tolerance = 1e-4;
      c.e.steps = 3;
      c.e.record = all;
      c.e.spectral_metrics = "off";
      c.e.classes.kind = ClassRule::Kind::groups;
      c.e.rho_epsilon = rho_epsilon;
    }
  }
  for (const char* rule : {"muon", "momentum", "adam"}) {
    for (const std::string engine : {"dense", "symmetric", "columns"}) {
      if (rule == std::string("muon") && engine == "columns") continue;
      Case& c =
          cases.emplace_back(Case{"decay, a warm-up and a schedule", small(optimizer_row(rule), {}, engine)});
      OptimizerChoice& choice = c.e.optimizers[0];
      choice.schedule = "cosine", choice.warmup = 3, choice.weight_decay = 0.05;
      if (engine != "symmetric") choice.weight_decay_kind = "coupled";
    }
  }
  cases.push_back({"a search", small(optimizer_row("muon"), {{"momentum", 0.5}}, "auto"), 4 * 7 + 1, true});
  cases.back().e.optimizers[0].search = StepSearch{0.05, 5, 4, "error"};
  for (const char* rule : {"gd", "momentum", "adam"}) {
    for (const std::string engine : {"dense", "columns"}) {
      Case& c = cases.emplace_back(Case{"samples", small(optimizer_row(rule), {}, engine), 8, true});
      c.e.label_noise = 0;
      c.e.data_mode = "minibatch";
      c.e.data_parameters = {{"batch", 5.0}};
    }
  }
  for (const ParameterValues& formula : remembering) {
    for (const std::string engine : {"dense", "symmetric", "columns"}) {
      if (engine == "columns" && !optimizer_row("formula").symmetries_of(formula).keeps_wrong_ties) continue;
      cases.push_back({formula.text("direction"), small(optimizer_row("formula"), formula, engine), 8});
      if (engine != "columns") continue;
      Case& c = cases.emplace_back(cases.back());
      c.name += " of several answers";
      c.e.spectrum = {};
      c.e.answers = law_of("counts", {{"path", std::string("pairs")}});
      c.e.spectral_metrics = "off";
    }
  }
  cases.push_back({"the twin of a dense run", with_twin(), 1 + 2 * 7});
  for (const Case& c : cases) {
    CAPTURE(c.name, c.e.optimizers[0].rule, c.e.engine, c.e.rho_epsilon);
    const auto undisturbed = bytes_of(simulate(c.e, readers, 1));
    const auto [result, processes] = stopped_at_every_step(c.e);
    CHECK((bytes_of(result) == undisturbed));
    if (c.processes > 0) CHECK(processes == 1 + (c.processes - 1) * trainings(c.e));
    CHECK(processes > (c.e.engine == "quadrature" ? 2 : 1) * c.e.steps);  // on nodes, and on twice as many
    if (c.killed) killed_everywhere(c.e, undisturbed);
  }
}

TEST_CASE("several optimizers on two threads: finished ones are kept, a diverged one stays diverged") {
  Experiment e = small(optimizer_row("muon"), {{"momentum", 0.5}}, "auto");
  e.optimizers.push_back({"adam", "adam", 0.1, with_defaults(optimizer_row("adam").parameters, {})});
  e.optimizers.push_back({"wild", "signgd", 1e308, {}});
  const Result whole = simulate(e, {}, 1);
  REQUIRE(whole.runs[0].trajectories[2].status == "diverged");
  for (int steps_each : {1, 3, 5, 8, 13}) {
    KeptInMemory checkpoints;
    std::optional<Result> result;
    std::size_t over_before = 0;
    for (int process = 0; process < 50 && !result; ++process) {
      std::atomic<int> steps = 0;
      try {
        result = simulate(e, {}, 2,
                          {[&](const std::string&, std::int64_t, std::int64_t) {
                             if (++steps >= steps_each) throw StoppedEarly{};
                           },
                           &checkpoints});
      } catch (const StoppedEarly&) {
        CHECK(checkpoints.over_count >= over_before);
        over_before = checkpoints.over_count;
      }
    }
    REQUIRE(result);
    CHECK((bytes_of(*result) == bytes_of(whole)));
    CHECK(checkpoints.over_count == 4);  // none was run again; adam is also run without ε
  }
}

TEST_CASE("the memory of a plan has room for the state of every training of a run") {
  struct Case {
    const char *rule, *engine;
    double tolerance;
    double states;
  };
  for (const Case& c : {Case{"gd", "columns", 1e-10, 2},       // with the one that checks the leaps
                        Case{"muon", "quadrature", 1e-4, 2},   // on half as many nodes
                        Case{"muon", "quadrature", 1e-10, 4},  // on the first ones and half of these as well
                        Case{"muon", "symmetric", 1e-10, 1}}) {
    Experiment e = small(optimizer_row(c.rule), {}, c.engine);
    const bool leaps = c.engine == std::string("columns");
    e.spectrum = power_law(e.engine == "quadrature" ? 1e4 : 8.0, 1.2);
    if (leaps) e.steps = 1'000'001, e.record = {.kind = RecordRule::Kind::log, .log = 3};
    e.optimizers[0].schedule = "constant";
    e.label_noise = e.rho_epsilon = 0;
    e.classes.kind = ClassRule::Kind::groups;
    e.push = false;
    e.spectral_metrics = "off";
    e.quadrature_tolerance = c.tolerance;
    for (const std::string digits : {"off", "on"}) {
      e.digits = digits;
      KeptInMemory checkpoints;
      simulate(e, {}, 1, {.checkpoints = &checkpoints});
      CAPTURE(c.rule, c.engine, c.tolerance, digits);
      const double planned = resolve(e, {}).states();
      CHECK(planned == c.states + (digits == "on" ? rounding_repetitions : 0));
      const auto kept = static_cast<double>(checkpoints.states.size());
      CHECK(kept >= c.states + (digits == "on" ? 1 : 0));
      CHECK(kept <= planned);
    }
  }
}

TEST_CASE("the plan of a dense run has the time and the state of its twin") {
  const Setup one = resolve(with_twin(1), {}), two = resolve(with_twin(2), {});
  CHECK(one.states() == 1);
  CHECK(two.states() == 2);
  Experiment symmetric = with_twin(2);
  symmetric.engine = "symmetric";
  symmetric.spectral_metrics = "off";
  const EngineQuery query{symmetric, two.spectrum, symmetric.optimizers[0]};
  CHECK(two.seconds > resolve(symmetric, {}).seconds + training_cost(query, {Way::dense}, 0).seconds);
}

TEST_CASE("a state of another training is no state: too short and too long ones are refused") {
  const Experiment e = small(optimizer_row("gd"), {}, "symmetric");
  KeptInMemory checkpoints;
  const Progress stop = [](const std::string&, std::int64_t done, std::int64_t) {
    if (done == 3) throw StoppedEarly{};
  };
  CHECK_THROWS_AS(simulate(e, {}, 1, {stop, &checkpoints}), StoppedEarly);
  REQUIRE(checkpoints.states.size() == 1);
  auto& [name, state] = *checkpoints.states.begin();
  const auto whole = state;
  for (const std::size_t size : {std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    state.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_THROWS_AS(simulate(e, {}, 1, {.checkpoints = &checkpoints}), std::runtime_error);
  }
  state = whole;
  state.push_back(std::byte{0});
  CHECK_THROWS_AS(simulate(e, {}, 1, {.checkpoints = &checkpoints}), std::runtime_error);
}
