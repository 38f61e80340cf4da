// Laws of fan-ins that are smooth in the rank: a few nodes against every answer written out.

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "quadrature_truth.hpp"
#include "reference/random_cases.hpp"
#include "sim/engines.hpp"

using namespace laws;

namespace {

Component power_law(double classes, double exponent) {
  return {"power_law", {{"count", classes}, {"exponent", exponent}}};
}

Component fan_in(const Value& law) {
  return {"fan_in",
          with_defaults(answer_law_row("fan_in").parameters, {{"fan_in", law}, {"rounded", false}})};
}

const Value sixteen_and_falling = std::vector<double>{0.5, 16};
const Value proportional = std::string("proportional");

Experiment run_of(const Component& spectrum, const Value& fan_ins, const std::string& rule, double noise,
                  double step_size, std::int64_t steps) {
  Experiment e =
      experiment(spectrum, embedding("identity"), embedding("identity"), noise, optimizer_row(rule));
  e.answers = fan_in(fan_ins);
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  return e;
}

}  // namespace

TEST_CASE(
    "of 256 answers with fan-ins 16 k^-1/2 under Muon 8 nodes give 1e-6, 12 give 1e-9 and 16 give 1e-10",
    "[numbers]") {
  const Experiment e = run_of(power_law(256, 1), sixteen_and_falling, "muon", 0, 0.5, 20);
  const double eight = error_at(e, 8), twelve = error_at(e, 12), sixteen = error_at(e, 16);
  CAPTURE(eight, twelve, sixteen);
  CHECK(eight < 1e-6);
  CHECK(eight > twelve);
  CHECK(twelve < 1e-9);
  CHECK(sixteen < 1e-10);
}

TEST_CASE(
    "quadrature of fan-ins agrees with every answer written out: all rules, noises and laws of the fan-in",
    "[numbers]") {
  for (const OptimizerRow& rule : complete_rules()) {
    if (rule.reads_curvature || rule.symmetries.reads_second_moment) continue;
    for (const Value& law : {sixteen_and_falling, proportional, Value(3.0)}) {
      for (const double noise : {0.0, 0.1}) {
        const bool scaled = rule.name == "gd" || rule.name == "momentum";
        Experiment e = run_of(power_law(256, 0.8), law, rule.name, noise, scaled ? 20 : 0.3, 24);
        const Engine exact = rule.symmetries.keeps_columns ? Engine::columns : Engine::symmetric;
        const TrueError error = true_error(e, exact);
        CAPTURE(rule.name, noise, error.certified, error.truth, law.index());
        CHECK(error.truth <= std::max(1e-10, error.certified));
        CHECK(error.certified <= 1e-10);
      }
    }
  }
}

TEST_CASE("equally likely answers with falling fan-ins are a smooth law although their spectrum is none") {
  const Component uniform{"uniform", {{"count", 256.0}}};
  CHECK(error_at(run_of(uniform, sixteen_and_falling, "muon", 0, 0.5, 20), 16) < 1e-10);
}

TEST_CASE(
    "what quadrature says of single answers, their noise and their twins is what all of them written out say") {
  bool recovered = false;
  for (const NoiseAnswers answers : {NoiseAnswers::uniform, NoiseAnswers::frequency}) {
    for (const double noise : {0.0, 0.2}) {
      for (const std::string rule : {"muon", "gd"}) {
        Experiment e =
            run_of(power_law(200, 0.7), sixteen_and_falling, rule, noise, rule == "gd" ? 30 : 0.4, 12);
        e.noise_answers = noise > 0 ? answers : NoiseAnswers::uniform;
        e.classes = {ClassRule::Kind::list,
                     {{ClassAt::Kind::rank, 1},
                      {ClassAt::Kind::rank, 100},
                      {ClassAt::Kind::percent, 50},
                      {ClassAt::Kind::last}}};
        e.engine = Engine::symmetric;
        const Result exact = simulate(e, {}, 1);
        e.engine = Engine::quadrature;
        const Result nodes = simulate(e, {}, 1);
        CAPTURE(rule, noise, answers == NoiseAnswers::frequency);
        const AnswerGroups &all = *exact.runs[0].answers, &some = *nodes.runs[0].answers;
        REQUIRE(all.count.size() == 200);
        CHECK(some.query_count == Approx(all.query_count).epsilon(1e-13));
        CHECK(some.answer_count == 200);
        CHECK(some.loss_floor == Approx(all.loss_floor).epsilon(1e-12));
        CHECK(exact.runs[0].class_probability == nodes.runs[0].class_probability);
        const auto& x = only_trajectory(exact).series;
        const auto& y = only_trajectory(nodes).series;
        CHECK(only_trajectory(nodes).quadrature_error <= 1e-10);
        for (std::size_t t = 0; t < exact.steps.size(); ++t) {
          // Steps of the rank: where the sign of an advantage changes is sought between nodes.
          CHECK(y.at("top1_error")[t] == Approx(x.at("top1_error")[t]).epsilon(0.02).margin(1e-12));
          CHECK(y.at("recovered_count")[t] == Approx(x.at("recovered_count")[t]).epsilon(0.02));
          recovered = recovered || y.at("recovered_count")[t] > 1;
          for (std::size_t row = 0; row < some.class_answer.size(); ++row) {
            CHECK(some.class_fan_in[row] == Approx(all.class_fan_in[row]).epsilon(1e-13));
            CHECK(y.at("class_loss")[t * 4 + row] == Approx(x.at("class_loss")[t * 4 + row]).epsilon(1e-9));
            const auto a = static_cast<std::size_t>(all.class_answer[row]),
                       b = static_cast<std::size_t>(some.class_answer[row]);
            CHECK(some.probability[b] == Approx(all.probability[a]).epsilon(1e-12));
            for (const char* name : {"answer_error", "answer_loss"})
              CHECK(y.at(name)[t * some.count.size() + b] == Approx(x.at(name)[t * 200 + a]).epsilon(1e-9));
          }
          // The gain is that of the nodes, the truth that of the answer with the largest.
          if (rule == "muon" && t + 1 < exact.steps.size())
            CHECK(y.at("twin_gain")[t] == Approx(x.at("twin_gain")[t]).epsilon(0.2));
        }
      }
    }
  }
  CHECK(recovered);
}

TEST_CASE(
    "a million million answers with fan-ins of their own: gradient descent column by column, Muon by the root of r") {
  const double answers = 1e12;
  Experiment e = run_of(power_law(answers, 1.2), std::vector<double>{0.5, 1e6}, "gd", 0, 20, 30);
  e.classes = {};
  Result result = simulate(e, {}, 1);
  const Run& run = result.runs[0];
  CHECK(run.trajectories[0].engine == "quadrature");
  CHECK(run.trajectories[0].quadrature_error <= 1e-10);
  CHECK(run.answers->query_count == Approx(2e12).epsilon(1e-5));  // Σ 1e6 k^-1/2 = 2e6 √K less 1.46e6
  double mass = 0;
  for (std::size_t i = 0; i < run.class_count.size(); ++i) {
    double margin = 0;
    for (int t = 0; t < 30; ++t) {
      const double wrong = 1 / (1 + std::exp(margin - std::log(answers - 1)));
      margin += 20 * run.class_probability[i] * wrong * (1 + 1 / (answers - 1));
    }
    const double error = 1 / (1 + std::exp(margin - std::log(answers - 1)));
    CHECK(at_end(result, "error", i) == Approx(error).epsilon(1e-12));
    CHECK(at_end(result, "error_predicted", i) == Approx(error).epsilon(1e-12));
    mass += run.class_count[i] * run.class_probability[i];
  }
  CHECK(mass == Approx(1).epsilon(1e-12));
  CHECK(at_end(result, "loss_predicted", 0) == Approx(at_end(result, "loss", 0)).epsilon(1e-10));
  CHECK(std::ranges::is_sorted(run.class_probability, std::greater<>()));

  Experiment equal = run_of(power_law(answers, 0.5), proportional, "muon", 0, 0.5, 30);
  equal.classes = {};
  result = simulate(equal, {}, 1);
  CHECK(only_trajectory(result).quadrature_error <= 1e-10);
  for (std::size_t i = 0; i < result.runs[0].class_count.size(); ++i) {
    const double margin = 0.5 * 30 / std::sqrt(result.runs[0].answers->class_fan_in[i]);
    const double error = 1 / (1 + std::exp(margin - std::log(answers - 1)));
    CHECK(at_end(result, "error", i) == Approx(error).epsilon(1e-5));
    CHECK(at_end(result, "error_predicted", i) == Approx(error).epsilon(1e-12));
  }
}

TEST_CASE(
    "the certified error of fan-ins is honest: of random experiments none is off by more than three times it") {
  const reference::RandomCases cases(5, 24);
  const RandomStream random(cases.seed, "fan-in");
  int certified = 0;
  for (int number = 0; number < cases.count; ++number) {
    std::uint64_t index = 0;
    const auto u = [&] { return random.uniform(static_cast<std::uint64_t>(number), index++); };
    const double answers = std::round(60 + 90 * u()), falling = 0.1 + 0.7 * u();
    const Value laws_of_fan_in[] = {
        std::vector<double>{falling, std::ceil(std::pow(answers, falling) * (1 + 3 * u()))}, proportional,
        std::round(1 + 9 * u())};
    const Value& law = laws_of_fan_in[static_cast<std::size_t>(3 * u())];
    const std::string rule = u() < 0.6 ? "muon" : u() < 0.5 ? "ngd" : "signgd";
    Experiment e =
        run_of(power_law(answers, 0.3 + 0.9 * u()), law, rule, u() < 0.6 ? 0.0 : 0.2 * u(),
               rule == "ngd" ? 10 * u() : 0.05 + 0.6 * u(), static_cast<std::int64_t>(5 + 35 * u()));
    e.nodes = static_cast<std::int64_t>(4 + 40 * u());
    const TrueError error = true_error(e, rule == "muon" ? Engine::symmetric : Engine::columns);
    CAPTURE(number, rule, answers, *e.nodes, law.index(), e.steps, error.certified, error.truth);
    CHECK(error.truth <= 3 * std::max(error.certified, 1e-12));
    if (error.certified < 1e-6) ++certified;
  }
  CHECK(certified > cases.count * 3 / 10);
}

TEST_CASE(
    "where queries are not in the order of their answers, nodes are, and classes by rank need answers written out") {
  const Component zipf{"zipf_mandelbrot", {{"count", 300.0}, {"exponent", 1.0}, {"shift", 2.7}}};
  Experiment e = run_of(zipf, std::vector<double>{0.5, 20}, "signgd", 0, 0.3, 6);
  e.classes = {};
  e.engine = Engine::quadrature;
  CHECK(std::ranges::is_sorted(simulate(e, {}, 1).runs[0].class_probability, std::greater<>()));
  const TrueError error = true_error(e, Engine::columns);
  CHECK(error.truth <= std::max(1e-10, error.certified));
  e.spectrum.parameters.set("count", 1e9);
  e.answers = fan_in(std::vector<double>{0.5, 1e6});
  CHECK(only_trajectory(simulate(e, {}, 1)).status == "complete");
  e.classes = {ClassRule::Kind::list, {{ClassAt::Kind::last}}};
  CHECK_THROWS_WITH(simulate(e, {}, 1),
                    Catch::Contains("the likeliest queries are not those of the first answers"));
  e.answers = fan_in(proportional);
  CHECK(only_trajectory(simulate(e, {}, 1)).status == "complete");
}

TEST_CASE("rounded fan-ins are no smooth function of the rank, one number for all is") {
  Experiment e = run_of(power_law(100, 1), sixteen_and_falling, "muon", 0, 0.5, 3);
  e.engine = Engine::quadrature;
  e.answers.parameters.set("rounded", true);
  CHECK_THROWS_WITH(simulate(e, {}, 1), Catch::Contains("'fan_in' is here no smooth function of the rank"));
  e.answers.parameters.set("within", 1.0);
  CHECK_THROWS_WITH(simulate(e, {}, 1), Catch::Contains("all answers must have the same number of them"));
  e.answers = fan_in(4.0);
  e.answers.parameters.set("rounded", true);
  CHECK(only_trajectory(simulate(e, {}, 1)).status == "complete");
}

TEST_CASE("a rule that reads the second moment of the queries is refused on twins of a smooth law") {
  Experiment e = run_of(power_law(1e9, 1), 4.0, "muon", 0, 0.5, 3);
  e.classes = {};
  const OptimizerRow& rule = optimizer_row("formula");
  e.optimizers[0].rule = rule.name;
  e.optimizers[0].parameters = with_defaults(rule.parameters, {{"direction", std::string("polar(G)@C")}});
  CHECK_THROWS_WITH(simulate(e, {}, 1), Catch::Contains("twin queries are apart"));
  e.answers = fan_in(1.0);
  CHECK(only_trajectory(simulate(e, {}, 1)).status == "complete");
}

TEST_CASE("noise by frequency alone leaves the identity smooth") {
  Experiment e =
      experiment(power_law(200, 1), embedding("identity"), embedding("identity"), 0.1, optimizer_row("muon"));
  e.noise_answers = NoiseAnswers::frequency;
  e.steps = 10;
  const TrueError error = true_error(e, Engine::symmetric);
  CAPTURE(error.certified, error.truth);
  CHECK(error.certified <= 1e-10);
  CHECK(error.truth <= 1e-10);
}
