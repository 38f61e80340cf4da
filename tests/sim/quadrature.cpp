#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "model/answer_law.hpp"
#include "quadrature_truth.hpp"
#include "random_run.hpp"
#include "rarefact/error.hpp"
#include "reference/random_cases.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

Experiment quadrature_run(const ChosenRow& spectrum, const std::string& rule, double noise, double step_size,
                          std::int64_t steps) {
  Experiment e = identity_run(spectrum, rule, noise);
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  e.classes = {};
  e.engine = "quadrature";
  return e;
}

/// What comes next to the truth.
std::string cheapest_exact_engine(Experiment e) {
  for (const std::string engine : {"columns", "symmetric"}) {
    e.engine = engine;
    if (refusal(e).empty()) return engine;
  }
  return "dense";
}

/// How far rounding alone moves an exact run: the law's parameter changed in its last digits.
double effect_of_rounding(Experiment e) {
  e.classes.kind = ClassRule::Kind::all;
  e.spectral_metrics = "off";
  e.engine = cheapest_exact_engine(e);
  const Result one = simulate(e, {}, 1);
  const char* parameter = e.spectrum.kind == "log_normal" ? "width" : "exponent";
  e.spectrum.parameters.set(parameter, e.spectrum.parameters.number(parameter) * (1 + 1e-15));
  return largest_relative_difference(one, simulate(e, {}, 1));
}

/// A random experiment of the kinds that a quadrature takes: of several embeddings where the rule is equivariant, of
/// laws of answers where the engine has that rule's.
Experiment random_quadrature(Dice& dice) {
  std::vector<std::string> rules;
  for (const OptimizerRow& row : complete_rules()) {
    if (!row.reads_hessian) rules.push_back(row.name);
  }
  const double count = 3 * std::round(20 + 30 * dice()), exponent = 0.5 + 2.5 * dice();
  Experiment e =
      random_run(dice,
                 {power_law(count, exponent),
                  power_law(count, exponent),
                  {"zipf_mandelbrot", {{"count", count}, {"exponent", exponent}, {"shift", 5 * dice()}}},
                  {"log_normal", {{"count", count}, {"location", 0.0}, {"width", 1 + 2 * dice()}}}},
                 rules, {embedding("identity")});
  e.nodes = static_cast<std::int64_t>(3 + 45 * dice());
  const Symmetries keeps = optimizer_row(e.optimizers[0].rule).symmetries_of(e.optimizers[0].parameters);
  const double kind = dice();
  if (kind < 0.2 && !keeps.reads_second_moment) {
    const double falling = 0.1 + 0.7 * dice(), most = std::ceil(std::pow(count, falling) * (1 + 3 * dice()));
    e.spectrum = power_law(count, 0.3 + 0.9 * dice());
    e.answers =
        law_of("fan_in",
               {{"rounded", false},
                {"fan_in", dice.among<Value>({std::vector<double>{falling, most}, std::string("proportional"),
                                              std::round(2 + 40 * dice())})}});
  } else if (kind > 0.4 && keeps.answers_rotate && keeps.queries_rotate) {
    const std::vector<ChosenRow> sides = {embedding("block_rotation"), embedding("orthogonal"),
                                          embedding("equicorrelated", {{"rho", 0.1 + 0.5 * dice()}})};
    e.query_embedding = e.answer_embedding = dice.among(sides);
  }
  return e;
}

}  // namespace

TEST_CASE(
    "the certified error is honest: of random experiments none is off by more than three times "
    "it",
    "[numbers]") {
  const reference::RandomCases cases(40, 400);
  int certified = 0, amplified = 0;
  for (int number = 0; number < cases.count; ++number) {
    Dice dice{{cases.seed, "honesty"}, static_cast<std::uint64_t>(number)};
    const Experiment e = random_quadrature(dice);
    const TrueError error = true_error(e, cheapest_exact_engine(e));
    CAPTURE(number, e.optimizers[0].rule, e.spectrum.kind, e.answers.kind, e.query_embedding.kind, *e.nodes,
            error.certified, error.truth);
    // Below 1e-12 it is the rounding of the two engines that differs; where a run amplifies rounding, its
    // effect.
    double noise = 1e-12;
    if (error.truth > 3 * std::max(error.certified, noise)) noise = effect_of_rounding(e);
    CAPTURE(noise);
    CHECK(error.truth <= 3 * std::max(error.certified, noise));
    if (noise > 1e-12) ++amplified;
    if (error.certified < 1e-6) ++certified;
  }
  CHECK(amplified <= 1 + cases.count / 100);
  CHECK(certified > cases.count * 3 / 10);  // and it is not honest by refusing to say anything
}

TEST_CASE("what the steps make of rounding is in the certified error") {
  // NGD ends near the optimum, where each step is as long as the distance: the last digit of the step size changes errors by
  // 1e-2.
  Experiment e = quadrature_run(power_law(1000, 2.5), "ngd", 0.1, 0.1, 1000);
  e.nodes = 256;
  const Result result = simulate(e, {}, 1);
  CHECK(only_trajectory(result).quadrature_error > 1e-4);
  CHECK(only_trajectory(result).status == "uncertified");
  const Result exact = on_engine(e, "columns");
  e.optimizers[0].step_size = std::nextafter(0.1, 1.0);
  CHECK(largest_relative_difference(exact, on_engine(e, "columns")) > 1e-4);
}

TEST_CASE("the rows of a quadrature are nodes whose counts make up K and whose sum is the loss") {
  const Experiment e = quadrature_run(power_law(1e12, 1.2), "muon", 0, 0.5, 60);
  const Result result = simulate(e, {}, 1);
  const Run& run = result.runs[0];
  CHECK(only_trajectory(result).status == "complete");
  CHECK(only_trajectory(result).quadrature_error < 1e-10);
  double total = 0, loss = 0;
  for (std::size_t i = 0; i < run.class_count.size(); ++i) {
    total += run.class_count[i];
    loss += run.class_count[i] * run.class_probability[i] * at_end(result, "class_loss", i);
  }
  CHECK(total == Approx(1e12).epsilon(1e-12));
  CHECK(loss == Approx(at_end(result, "loss")).epsilon(1e-11));
  CHECK(only_trajectory(result).series.at("soft_recovery").front() == Approx(1e-12).epsilon(1e-12));
  CHECK(at_end(result, "error", 5) == Approx(at_end(result, "error_predicted", 5)).epsilon(1e-9));
}

TEST_CASE("head, tail and gap of a quadrature are those of the first and the last class") {
  for (const auto& [exponent, embedding_kind] :
       {std::pair{0.1, "identity"}, std::pair{1.0, "equicorrelated"}}) {
    Experiment e = quadrature_run(power_law(4200, exponent), "gd", 0, 20, 2);
    if (embedding_kind == std::string("equicorrelated"))
      e.query_embedding = e.answer_embedding = embedding(embedding_kind, {{"rho", 0.3}});
    const Result nodes = simulate(e, {}, 1);
    const Result exact = on_engine(e, cheapest_exact_engine(e));
    const std::vector<double>& ranks = nodes.runs[0].class_log_rank;
    const std::size_t rows = ranks.size();
    REQUIRE(rows < 200);
    CHECK(ranks.back() == std::log(4200.0));
    CHECK(exact.runs[0].class_log_rank == ranks);
    double classes = 0, mass = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      classes += exact.runs[0].class_count[row];
      mass += exact.runs[0].class_count[row] * exact.runs[0].class_probability[row];
    }
    CHECK(classes == Approx(4200).epsilon(1e-13));
    CHECK(mass == Approx(1).epsilon(1e-12));
    for (std::size_t row = 0; row < rows; ++row) {
      const double rank = std::exp(ranks[row]);
      CHECK(rank == Approx(std::round(rank)).epsilon(1e-12));  // a class, which every engine can show
      CHECK(at_end(nodes, "error", row) == Approx(at_end(exact, "error", row)).epsilon(1e-10));
    }
    for (const char* gap : {"gap", "gap_predicted"}) {
      if (only_trajectory(nodes).series.contains(gap))
        CHECK(at_end(nodes, gap) == Approx(at_end(exact, "gap")).epsilon(1e-10));
    }
  }
}

TEST_CASE("the rows are those of every optimizer, also where one falls back on an exact engine") {
  Experiment e =
      quadrature_run(power_law(90, 1.3), "muon", 0, 0.5, 7500);  // seconds if written out, says the guess
  e.record = {RecordRule::Kind::list, 1, {0, 20, 7500}};
  e.engine = "auto";
  e.nodes = 32;
  CHECK(chosen_engines(e, 1e10)[0].reduction.engine() == "quadrature");
  e.quadrature_tolerance = 1e-18;  // out of reach, but 90 classes can be written out
  const Result exact = simulate(e, {}, 1);
  CHECK(only_trajectory(exact).engine == "symmetric");
  CHECK(only_trajectory(exact).engine_reason.find("exceeds the tolerance 1e-18") != std::string::npos);
  CHECK(only_trajectory(exact).quadrature_error == 0);
  CHECK(exact.runs[0].class_count.size() == 90);
}

TEST_CASE(
    "a certificate out of reach is said: on a requested quadrature the numbers stand, on one that auto chose the run fails") {
  // NGD with steps far too long jumps to and fro: neighbouring classes end on different sides.
  Experiment e = quadrature_run(power_law(1e9, 1.1), "ngd", 0.1, 200, 40);
  e.nodes = 64;
  const Result requested = simulate(e, {}, 1);
  CHECK(only_trajectory(requested).status == "uncertified");
  CHECK(only_trajectory(requested).quadrature_error > 1e-10);
  CHECK(only_trajectory(requested).status_detail.find("exceeds the tolerance") != std::string::npos);
  CHECK(std::isfinite(at_end(requested, "loss")));
  const Result chosen = on_engine(e, "auto");
  CHECK(only_trajectory(chosen).status == "failed");
  CHECK(std::isnan(at_end(chosen, "loss")));
}

TEST_CASE("where neighbouring classes are pushed opposite ways nothing is certified") {
  // In the 2-cycle of this run the margins straddle the optimum: some classes have passed it, their
  // neighbours not.
  Experiment e =
      quadrature_run(power_law(147, 1.6684245163368125), "muon", 0.03298869264786484, 0.4939835779299757, 29);
  e.nodes = 29;
  const Result result = simulate(e, {}, 1);
  CHECK(only_trajectory(result).status == "uncertified");
  CHECK(std::isinf(only_trajectory(result).quadrature_error));
  CHECK(only_trajectory(result).status_detail.find("pushed opposite ways") != std::string::npos);
  e.steps = 5;  // before the crossing
  CHECK(only_trajectory(simulate(e, {}, 1)).quadrature_error < 1e-3);
}

TEST_CASE("a rule that finds no direction ends the run as on the exact engines") {
  // Division by 0 at step 4; before the first update; of a direction with singular values.
  for (const char* direction : {"G/(t-4)", "G/norm(W)", "polar(G)/(t-2)"}) {
    Experiment e = quadrature_run(power_law(20, 1.3), "formula", 0.1, 1, 10);
    e.optimizers[0].parameters = {{"direction", std::string(direction)}};
    e.nodes = 16;
    const Result nodes = simulate(e, {}, 1);
    const Result exact = on_engine(e, cheapest_exact_engine(e));
    CAPTURE(direction, only_trajectory(nodes).status_detail);
    CHECK(only_trajectory(nodes).status == "diverged");
    CHECK(only_trajectory(nodes).status_step == only_trajectory(exact).status_step);
    CHECK_THAT(only_trajectory(nodes).status_detail, Catch::StartsWith("a nonzero matrix was divided by"));
  }
}

TEST_CASE(
    "the estimate of a product has all doublings of its quadrature, and the exact run if they end short of it") {
  const auto product = [](double count, const std::string& engine, std::int64_t steps) {
    Experiment e = quadrature_run(power_law(count, 1.3), "gd", 0.05, 8, steps);
    e.factors = 2;
    e.init = {"aligned", {{"scale", 0.4}}};
    e.engine = engine;
    e.record = {RecordRule::Kind::every, steps, {}};
    return e;
  };
  const auto chosen = [&](double count, const std::string& engine) {
    return chosen_engines(product(count, engine, 1000000)).front();
  };
  // 32, 64, 128, 256 and all 480 nodes, each beside half as many.
  CHECK(chosen(480, "auto").cost.trainings == 10);
  const EngineChoice nodes = chosen(1000, "quadrature"), usual = chosen(1000, "auto"),
                     exact = chosen(1000, "symmetric");
  CHECK(usual.reduction.engine() == "quadrature");
  REQUIRE(usual.fallback);
  CHECK(usual.fallback->engine() == exact.reduction.engine());
  CHECK(usual.cost.seconds > exact.cost.seconds);
  CHECK(usual.cost.seconds > nodes.cost.seconds + 0.9 * exact.cost.seconds);
  CHECK(usual.cost.bytes >= exact.cost.bytes);
}
