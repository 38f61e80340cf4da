#include <catch2/catch.hpp>
#include <tuple>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "model/make_spectrum.hpp"
#include "model/margin.hpp"
#include "reference/one_step.hpp"
#include "theory/margin_paths.hpp"
#include "theory/one_step.hpp"
#include "theory/plain.hpp"

using namespace laws;

namespace {

Experiment on_symmetric(const ChosenRow& spectrum, const ChosenRow& sides, double noise,
                        const std::string& rule) {
  Experiment e = experiment(spectrum, sides, sides, noise, optimizer_row(rule));
  e.steps = 10;
  e.classes = {};
  e.engine = "symmetric";
  return e;
}

Result with_precision(Experiment e, std::int64_t digits) {
  e.precision = digits;
  return simulate(e, {}, 1);
}

double relative(double value, const Real50& expected) {
  return static_cast<double>(abs(Real50(value / expected - 1)));
}

}  // namespace

TEST_CASE("rare classes keep their directions beside frequent ones, whatever the embeddings") {
  const auto two_levels = [](double fraction, double mass) {
    return ChosenRow{"two_level", {{"count", 9.0}, {"head_fraction", fraction}, {"head_mass", mass}}};
  };
  const auto fan_in = [](double within) { return law_of("fan_in", {{"fan_in", 4.0}, {"within", within}}); };
  const ChosenRow own{"identity", {}}, none = embedding("identity"), steep = power_law(12, 14),
                                       even = power_law(12, 1);
  const auto correlated = [](double rho) { return embedding("equicorrelated", {{"rho", rho}}); };
  const std::vector<std::tuple<ChosenRow, ChosenRow, ChosenRow, ChosenRow>> cases = {
      {two_levels(1.0 / 3, 0.9999999999999999), own, correlated(0.3), correlated(0.3)},
      {two_levels(1.0 / 3, 1 - 1e-12), own, correlated(0.999999), correlated(0.999999)},
      {two_levels(2.0 / 3, 1e-14), own, correlated(0.9), none},
      {steep, own, correlated(0.3), correlated(0.3)},
      {power_law(12, 16.5), own, correlated(0.99), none},
      {steep, own, none, correlated(0.999999)},
      {even, fan_in(24), correlated(0.999), correlated(0.9)}};
  int number = 0;
  for (const auto& [spectrum, law, query, answer] : cases) {
    Experiment e = experiment(spectrum, query, answer, 0, optimizer_row("muon"));
    e.answers = law;
    e.spectral_metrics = "on";
    e.push = true;
    e.steps = 10;
    e.engine = "symmetric";
    const Result precise = with_precision(e, 50);
    const auto& expected = only_trajectory(precise).series;
    for (const std::string engine : {"symmetric", "dense"}) {
      e.engine = engine;
      const Result result = with_precision(e, 16);
      const auto& seen = only_trajectory(result).series;
      CAPTURE(number, engine, query.kind, answer.kind);
      CHECK(seen.at("update_rank") == expected.at("update_rank"));
      for (const char* name : {"error", "push"}) {
        for (std::size_t i = 0; i < seen.at(name).size(); ++i)
          CHECK(seen.at(name)[i] == Approx(expected.at(name)[i]).epsilon(1e-8).margin(1e-8));
      }
    }
    ++number;
  }
}

TEST_CASE("Muon's rarest class of sixteen decades is where a program of 100 digits has it") {
  // mpmath: singular value decompositions of Ẽ G Eᵀ, E = Ẽ the symmetric root.
  Experiment e = experiment(
      {"two_level", {{"count", 9.0}, {"head_fraction", 1.0 / 3}, {"head_mass", 0.9999999999999999}}},
      embedding("equicorrelated", {{"rho", 0.3}}), embedding("equicorrelated", {{"rho", 0.3}}), 0,
      optimizer_row("muon"));
  e.steps = 30;
  e.optimizers[0].step_size = 0.5;
  e.push = true;
  for (const std::string engine : {"symmetric", "dense"}) {
    const Result result = on_engine(e, engine);
    const auto& series = only_trajectory(result).series;
    CAPTURE(engine);
    CHECK(series.at("error").back() == Approx(0.018013832225).epsilon(1e-10));
    CHECK(series.at("push")[8] == Approx(0.502324074603).epsilon(1e-10));
  }
}

TEST_CASE("where nearly parallel columns leave directions to rounding, a run says that it has no digits") {
  // Queries of one answer differ in what little their errors do, beside units of 1e-15 of their mass.
  Experiment e = identity_run(power_law(12.0, 14.0), "muon");
  e.answers = law_of("fan_in", {{"fan_in", 4.0}, {"within", 1.0}});
  e.optimizers[0].step_size = 0.5;
  e.steps = 10;
  e.digits = "on";
  for (const std::string engine : {"symmetric", "dense"}) {
    const Result result = on_engine(e, engine);
    CHECK(only_trajectory(result).status == "digits_lost");
  }
}

TEST_CASE("in 50 digits GD's run is its recursion, to the last digit of the doubles and in the gap, too") {
  for (const double noise : {0.0, 0.1}) {
    Experiment e =
        on_symmetric({"grouped_power_law", {{"groups", 3.0}, {"group_size", 1e12}, {"exponent", 1.5}}},
                     embedding("identity"), noise, "gd");
    e.optimizers[0].step_size = 1e12;
    const Result result = with_precision(e, 50);
    CAPTURE(noise);
    check_predicted(result, {"error", "class_loss", "loss", "excess_loss", "gap"}, 1e-15);
    // The same gap from the definition: p̂ is about 1e-12, its differences are 1e-13.
    const auto& p = result.runs[0].class_probability;
    const auto memory = [&](double probability) {
      return Real50(1 / (1 + (Real50(3e12) - 1) * exp(-plain::descend(probability, 3e12, noise, 1e12, 10))));
    };
    CHECK(relative(series(result, "gap").back(), memory(p.front()) - memory(p.back())) < 1e-15);
  }
}

TEST_CASE("a gap of 1e-14 at K = 1e15 is right in 50 digits, and is noise in doubles") {
  Experiment e = on_symmetric({"two_level", {{"count", 1e15}, {"head_fraction", 0.2}, {"head_mass", 0.8}}},
                              embedding("identity"), 0, "muon");
  e.steps = 1;
  const double eta = 36;
  e.optimizers[0].step_size = eta;
  const double in_digits = only_trajectory(with_precision(e, 50)).series.at("gap").back();
  const double in_doubles = only_trajectory(with_precision(e, 16)).series.at("gap").back();
  // The first step in closed form (theory/one_step.hpp): the logits are η times the direction.
  const ClassGroups groups = make_spectrum(e.spectrum.kind, e.spectrum.parameters, {});
  const auto direction = muon_direction_of_two_groups<Real50>(groups);
  std::vector<Real50> memory;
  for (const Index j : {0, 1}) {
    const Real50 right = direction.diagonal_block(j)(0, 0);
    Real50 odds = 0;
    for (const Index i : {0, 1}) {
      const Real50 partners = Real50(groups.count[i]) - (i == j ? 1 : 0);
      odds += partners * exp(Real50(eta * (direction.off_block(i, j)(0, 0) - right)));
    }
    memory.push_back(1 / (1 + odds));
  }
  const Real50 gap = abs(Real50(memory[0] - memory[1]));
  CAPTURE(in_digits, in_doubles);
  REQUIRE(gap > 1e-15);
  REQUIRE(gap < 1e-13);
  CHECK(relative(in_digits, gap) < 1e-10);
  CHECK(relative(in_doubles, gap) > 1e-10);
}

TEST_CASE("in 50 digits the entries of a gradient may span what no double does") {
  Experiment e =
      on_symmetric({"two_level", {{"count", 1e300}, {"head_fraction", 0.5}, {"head_mass", 0.99999999}}},
                   embedding("identity"), 0, "muon");
  e.optimizers[0].step_size = 70;
  CHECK_THAT(refusal(e), Catch::Contains("span a factor 1e308"));
  // With 5e299 classes in a group the direction is the identity to every digit (li2026, Theorem 4.2).
  check_predicted(with_precision(e, 50), {"error", "class_loss"}, 1e-15);
}

TEST_CASE(
    "in 50 digits the recursions and first steps of rules are their runs, to the last digit of the doubles") {
  const ChosenRow none = embedding("identity"), q = embedding("equicorrelated", {{"rho", 0.3}}),
                  a = embedding("equicorrelated", {{"rho", 0.4}}), steep = power_law(12, 1.3),
                  even = {"uniform", {{"count", 12.0}}};
  struct Case {
    std::string rule;
    ChosenRow spectrum, query, answer;
    double eta, noise;
    ParameterValues given = {};
    double decay = 0;
    std::string schedule = "constant";
    std::int64_t steps = 25;
    double start = 0;  ///< scale of an aligned start, from which queries are drawn by p^½
  };
  const ParameterValues average = {{"momentum", 0.3}, {"momentum_kind", "average"}, {"nesterov", true}},
                        after = {{"momentum", 0.5}, {"momentum_order", "after"}, {"nesterov", true}};
  const std::vector<Case> cases = {
      {"gd", steep, none, none, 3, 0.1, {}, 0.01, "cosine"},
      {"gd", steep, none, a, 3, 0.1, {}, 0.01, "linear"},
      {"gd", even, q, a, 3, 0, {}, 0.01},
      {"momentum", steep, none, none, 1, 0.1, {{"momentum", 0.9}, {"nesterov", true}}, 0.01, "linear"},
      {"momentum", steep, none, a, 1, 0, {{"momentum", 0.8}, {"momentum_kind", std::string("average")}}},
      {"ngd", steep, none, none, 0.3, 0, {}, 0.02, "cosine"},
      {"ngd", steep, none, a, 0.3, 0.1, {}, 0.02},
      {"adam", steep, none, none, 0.05, 0, {{"epsilon", 0.0}}},
      {"adam", steep, none, none, 0.05, 0.1, {{"epsilon", 1e-4}, {"beta2", 0.95}}, 0.01, "cosine"},
      {"signgd", steep, none, none, 0.1, 0.1, {}, 0.05, "cosine"},
      {"muon", even, q, a, 0.2, 0, {{"momentum", 0.0}}, 0.02, "linear"},
      {"gd", steep, q, a, 5, 0, {}, 0, "constant", 1},
      {"ngd", steep, q, a, 0.7, 0, {}, 0, "constant", 1},
      {"muon", steep, q, a, 0.7, 0, {{"momentum", 0.0}}, 0, "constant", 1},
      {"momentum", steep, q, a, 0.4, 0, {{"nesterov", true}}, 0.02, "constant", 1},
      {"momentum", steep, q, a, 0.4, 0, average, 0, "constant", 1},
      {"muon", steep, q, a, 0.4, 0, after, 0, "constant", 1},
      // No double holds 1 - β.
      {"adam", steep, none, none, 60, 0, {{"beta1", 0.3}, {"beta2", 0.35}, {"epsilon", 0.0}}},
      {"momentum", steep, none, none, 3, 0, average},
      {"gd", steep, none, a, 3, 0.1, {}, 0.01, "linear", 25, 0.7},
      {"momentum", steep, none, a, 1, 0, {{"momentum", 0.8}}, 0, "constant", 25, 0.7},
      {"ngd", steep, none, a, 0.3, 0.1, {}, 0, "constant", 25, 0.7}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [rule, spectrum, query, answer, eta, noise, given, decay, schedule, steps, start] = cases[i];
    Experiment e = on_symmetric(spectrum, none, noise, rule);
    e.query_embedding = query;
    e.answer_embedding = answer;
    e.steps = steps;
    OptimizerChoice& choice = e.optimizers.front();
    choice.step_size = eta;
    for (const auto& [key, value] : given.all()) choice.parameters.set(key, value);
    choice.weight_decay = decay;
    choice.schedule = schedule;
    if (start > 0) e.init = {"aligned", {{"scale", start}}};
    if (start > 0) e.sampling_exponent = 0.5;
    CAPTURE(i, rule);
    check_predicted(with_precision(e, 50), {"error", "class_loss", "loss", "excess_loss"}, 1e-15);
  }
}

TEST_CASE("in 50 digits gradient descent with decay ends in l2_margin") {
  for (const double noise : {0.0, 0.1}) {
    Experiment e = on_symmetric(power_law(6, 1.3), embedding("identity"), noise, "gd");
    e.steps = 1000;
    e.record.kind = RecordRule::Kind::log;
    e.optimizers[0].step_size = 3.0;
    e.optimizers[0].weight_decay = 0.02;
    const Result result = with_precision(e, 50);
    const auto& error = only_trajectory(result).series.at("error");
    const auto& p = result.runs[0].class_probability;
    for (std::size_t g = 0; g < p.size(); ++g) {
      const Real50 margin = l2_margin<Real50>(p[g], 6, 0.02, noise);
      CAPTURE(noise, g);
      CHECK(relative(error[error.size() - p.size() + g], error_of_margin<Real50>(margin, 6)) < 1e-15);
    }
  }
}
