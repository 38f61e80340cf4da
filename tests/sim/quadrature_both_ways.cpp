// Laws under which the queries of an answer differ: nodes of answers times nodes of their queries, against every query written
// out.

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "model/smooth_law.hpp"
#include "quadrature_truth.hpp"
#include "reference/random_cases.hpp"
#include "sim/engines.hpp"

using namespace laws;

namespace {

Component falling(double classes, double exponent) {
  return {"power_law", {{"count", classes}, {"exponent", exponent}}};
}

/// Every answer has `each` queries, which occur in proportion to j^-exponent.
Component within(double each, double exponent) {
  return {"fan_in",
          with_defaults(answer_law_row("fan_in").parameters, {{"fan_in", each}, {"within", exponent}})};
}

Component modulo(double count) {
  return {"modulo", with_defaults(answer_law_row("modulo").parameters, {{"count", count}})};
}

/// `answers` answers of `each` queries.
struct Case {
  const char* name;
  Component spectrum, answers;
};
std::vector<Case> cases(double answers, double each) {
  return {{"within", falling(answers, 1), within(each, 1)},
          {"modulo", falling(answers * each, 1), modulo(answers)}};
}

Experiment run_of(const Case& one, const std::string& rule, double noise, double step_size,
                  std::int64_t steps) {
  Experiment e =
      experiment(one.spectrum, embedding("identity"), embedding("identity"), noise, optimizer_row(rule));
  e.answers = one.answers;
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  return e;
}

Experiment on_nodes(Experiment e) {
  e.engine = Engine::quadrature;
  return e;
}

}  // namespace

TEST_CASE("16 nodes both ways give the loss of Muon to 1e-10, 12 to 1e-8 and 8 to 1e-4", "[numbers]") {
  for (const Case& one : cases(128, 32)) {
    const Experiment e = run_of(one, "muon", 0, 0.5, 20);
    const double eight = error_at(e, 8), twelve = error_at(e, 12), sixteen = error_at(e, 16);
    CAPTURE(one.name, eight, twelve, sixteen);
    CHECK(eight < 1e-4);
    CHECK(eight > twelve);
    CHECK(twelve < 1e-8);
    CHECK(sixteen < 1e-10);
  }
}

TEST_CASE("nodes both ways agree with every query written out: all rules and noises") {
  for (const OptimizerRow& rule : complete_rules()) {
    if (rule.reads_curvature || rule.symmetries.reads_second_moment) continue;
    for (const Case& one : cases(72, 40)) {
      for (const double noise : {0.0, 0.1}) {
        const bool scaled = rule.name == "gd" || rule.name == "momentum";
        const Experiment e = run_of(one, rule.name, noise, scaled ? 20 : 0.3, 12);
        const TrueError error =
            true_error(e, rule.symmetries.keeps_columns ? Engine::columns : Engine::symmetric);
        CAPTURE(rule.name, noise, one.name, error.certified, error.truth);
        CHECK(error.truth <= std::max(1e-10, error.certified));
        CHECK(error.certified <= 1e-10);
      }
    }
  }
}

TEST_CASE("similar queries that differ are nodes as well") {
  for (const Case& one : cases(60, 40)) {
    Experiment e = run_of(one, "muon", 0.1, 0.3, 12);
    e.query_embedding = embedding("clustered", {{"similarity", 0.3}});
    const TrueError error = true_error(e, Engine::symmetric);
    CAPTURE(one.name, error.certified, error.truth);
    CHECK(error.truth <= 1e-10);
  }
}

TEST_CASE("what nodes both ways say of single queries, answers and their noise is what all written out say",
          "[numbers]") {
  bool recovered = false;
  for (const NoiseAnswers answers : {NoiseAnswers::uniform, NoiseAnswers::frequency}) {
    for (const double noise : {0.0, 0.2}) {
      for (const std::string rule : {"muon", "gd"}) {
        for (const Case& one : cases(60, 48)) {
          Experiment e = run_of(one, rule, noise, rule == "gd" ? 60 : 1, 12);
          e.noise_answers = noise > 0 ? answers : NoiseAnswers::uniform;
          e.classes = {ClassRule::Kind::list,
                       {{ClassAt::Kind::rank, 1},
                        {ClassAt::Kind::rank, 100},
                        {ClassAt::Kind::percent, 50},
                        {ClassAt::Kind::last}}};
          e.engine = Engine::symmetric;
          const Result exact = simulate(e, {}, 1);
          const Result nodes = simulate(on_nodes(e), {}, 1);
          CAPTURE(one.name, rule, noise, answers == NoiseAnswers::frequency);
          const AnswerGroups &all = *exact.runs[0].answers, &some = *nodes.runs[0].answers;
          CHECK(some.query_count == Approx(all.query_count).epsilon(1e-13));
          CHECK(some.answer_count == 60);
          CHECK(some.loss_floor == Approx(all.loss_floor).epsilon(1e-12));
          CHECK(exact.runs[0].class_probability == nodes.runs[0].class_probability);
          CHECK(some.class_fan_in == all.class_fan_in);
          const auto& x = only_trajectory(exact).series;
          const auto& y = only_trajectory(nodes).series;
          CHECK(only_trajectory(nodes).quadrature_error <= 1e-10);
          const std::size_t rows = some.class_answer.size();
          for (std::size_t t = 0; t < exact.steps.size(); ++t) {
            // Steps of the rank: where the sign of an advantage changes is sought between nodes.
            CHECK(y.at("top1_error")[t] == Approx(x.at("top1_error")[t]).epsilon(0.03).margin(0.003));
            CHECK(y.at("recovered_count")[t] == Approx(x.at("recovered_count")[t]).epsilon(0.1).margin(2));
            recovered = recovered || y.at("recovered_count")[t] > 1;
            for (std::size_t row = 0; row < rows; ++row) {
              CHECK(y.at("error")[t * rows + row] == Approx(x.at("error")[t * rows + row]).epsilon(1e-9));
              const auto a = static_cast<std::size_t>(all.class_answer[row]),
                         b = static_cast<std::size_t>(some.class_answer[row]);
              CHECK(some.probability[b] == Approx(all.probability[a]).epsilon(1e-12));
              for (const char* name : {"answer_error", "answer_loss"})
                CHECK(y.at(name)[t * some.count.size() + b] ==
                      Approx(x.at(name)[t * all.count.size() + a]).epsilon(1e-9));
            }
            if (rule == "muon" && t + 1 < exact.steps.size())
              CHECK(y.at("twin_gain")[t] == x.at("twin_gain")[t]);
          }
        }
      }
    }
  }
  CHECK(recovered);
}

TEST_CASE(
    "the certified error of nodes both ways is honest: of random experiments none is off by more than three times it") {
  const reference::RandomCases cases(5, 24);
  const RandomStream random(cases.seed, "both ways");
  int certified = 0;
  for (int number = 0; number < cases.count; ++number) {
    std::uint64_t index = 0;
    const auto u = [&] { return random.uniform(static_cast<std::uint64_t>(number), index++); };
    const double answers = std::round(30 + 50 * u()), each = std::round(2 + 40 * u()),
                 exponent = 0.3 + 0.9 * u();
    const Case one = u() < 0.5 ? Case{"within", falling(answers, exponent), within(each, 0.1 + 1.4 * u())}
                               : Case{"modulo", falling(answers * each, exponent), modulo(answers)};
    const std::string rule = u() < 0.6 ? "muon" : u() < 0.5 ? "ngd" : "signgd";
    Experiment e = run_of(one, rule, u() < 0.6 ? 0.0 : 0.2 * u(), rule == "ngd" ? 10 * u() : 0.05 + 0.6 * u(),
                          static_cast<std::int64_t>(5 + 35 * u()));
    e.nodes = static_cast<std::int64_t>(4 + 30 * u());
    const TrueError error = true_error(e, rule == "muon" ? Engine::symmetric : Engine::columns);
    CAPTURE(number, rule, one.name, answers, each, *e.nodes, e.steps, error.certified, error.truth);
    // No certificate is below 1e-11, but where every query is a node: rounding, which ngd amplifies, is all that is left.
    CHECK(error.truth <= std::max(3 * error.certified, 1e-11));
    if (error.certified < 1e-6) ++certified;
  }
  CHECK(certified > cases.count * 3 / 10);
}

TEST_CASE(
    "a million million answers of a thousand queries each: Muon is normalised gradient descent among the queries of each") {
  const double answers = 1e12, each = 1000;
  const Case one{"within", falling(answers, 0.5), within(each, 1)};
  Experiment e = run_of(one, "muon", 0, 2, 20);
  e.classes = {};
  const Result result = simulate(e, {}, 1);
  const Run& run = result.runs[0];
  CHECK(only_trajectory(result).engine == "quadrature");
  CHECK(only_trajectory(result).quadrature_error <= 1e-10);
  CHECK(run.answers->query_count == Approx(1e15));
  // One answer by itself.
  Vector margin = Vector::Zero(1000), part(1000);
  for (Index j = 0; j < 1000; ++j) part(j) = 1 / static_cast<double>(j + 1);
  const auto error = [&] { return Vector((1 + (margin.array() - std::log(answers - 1)).exp()).inverse()); };
  for (int t = 0; t < 20; ++t) margin += 2 * part.cwiseProduct(error()).normalized();
  double mass = 0, loss = 0;
  int checked = 0;
  for (std::size_t row = 0; row < run.class_count.size(); ++row) {
    mass += run.class_count[row] * run.class_probability[row];
    loss += run.class_count[row] * run.class_probability[row] * at_end(result, "class_loss", row);
    // The first answers are too few to be by themselves; a row of a whole place is compared.
    const double q = run.answers->probability[static_cast<std::size_t>(run.answers->class_answer[row])];
    const double place = q / part.sum() / run.class_probability[row];
    if (std::abs(place - std::round(place)) > 1e-9 || run.answers->class_answer[row] < 40) continue;
    CHECK(at_end(result, "error", row) ==
          Approx(error()(static_cast<Index>(std::round(place)) - 1)).epsilon(1e-5));
    ++checked;
  }
  CHECK(checked > 1000);
  CHECK(mass == Approx(1).epsilon(1e-5));
  CHECK(loss == Approx(at_end(result, "loss", 0)).epsilon(1e-5));
  CHECK(std::ranges::is_sorted(run.class_probability, std::greater<>()));
}

TEST_CASE("a million million queries dealt out to a million answers: gradient descent query by query") {
  const double answers = 1e6;
  Experiment e = run_of({"modulo", falling(1e12, 1), modulo(answers)}, "gd", 0, 1e3, 20);
  e.classes = {ClassRule::Kind::list,
               {{ClassAt::Kind::rank, 1},
                {ClassAt::Kind::rank, 777},
                {ClassAt::Kind::rank, 5e6},
                {ClassAt::Kind::percent, 90},
                {ClassAt::Kind::last}}};
  const Result result = simulate(e, {}, 1);
  const Run& run = result.runs[0];
  CHECK(only_trajectory(result).quadrature_error <= 1e-10);
  double harmonic = std::log(1e12) + 0.577215664901532861;
  CHECK(run.class_probability[1] == Approx(1 / (777 * harmonic)).epsilon(1e-11));
  CHECK(run.class_probability[2] == Approx(1 / (5e6 * harmonic)).epsilon(1e-11));
  CHECK(run.answers->class_answer[0] == 0);
  for (std::size_t row = 0; row < run.class_count.size(); ++row) {
    double margin = 0;
    const auto wrong = [&] { return 1 / (1 + std::exp(margin - std::log(answers - 1))); };
    for (int t = 0; t < 20; ++t)
      margin += 1e3 * run.class_probability[row] * wrong() * (1 + 1 / (answers - 1));
    CHECK(at_end(result, "error", row) == Approx(wrong()).epsilon(1e-12));
    CHECK(at_end(result, "error_predicted", row) == Approx(wrong()).epsilon(1e-12));
  }
  CHECK(at_end(result, "loss_predicted", 0) == Approx(at_end(result, "loss", 0)).epsilon(1e-10));
}

TEST_CASE(
    "which queries are asked for is known of those that are dealt out, else of the first and the last") {
  const auto refusal = [](Experiment e) -> std::string {
    try {
      simulate(e, {}, 1);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  using Catch::Contains;
  Experiment e = run_of({"within", falling(1e9, 1), within(100, 1)}, "signgd", 0, 0.3, 2);
  e.classes = {ClassRule::Kind::list, {{ClassAt::Kind::rank, 1}, {ClassAt::Kind::last}}};
  const Result ends = simulate(e, {}, 1);
  const std::vector<double>& p = ends.runs[0].class_probability;
  CHECK(p[0] / p[1] == Approx(1e11).epsilon(1e-12));
  e.classes.list.push_back({ClassAt::Kind::percent, 50});
  CHECK_THAT(refusal(e), Contains("come in no order that is known"));
  e.classes.list.back() = {ClassAt::Kind::rank, 2};
  CHECK_THAT(refusal(e), Contains("come in no order that is known"));

  e = run_of({"modulo", falling(1000, 1), modulo(100)}, "muon", 0, 0.3, 2);
  e.engine = Engine::quadrature;
  CHECK(refusal(e) == "");
  e.answers.parameters.set("power", std::int64_t{2});
  CHECK_THAT(refusal(e), Contains("answers.power = 1 and a count that divides the number of queries"));
  e.answers = modulo(99);
  CHECK_THAT(refusal(e), Contains("answers.power = 1 and a count that divides the number of queries"));
  e.answers = modulo(100);
  e.spectrum = {"uniform", {{"count", 1000.0}}};
  CHECK_THAT(refusal(e), Contains("answers.power = 1 and a count that divides the number of queries"));
  const OptimizerRow& rule = optimizer_row("formula");
  e = run_of({"modulo", falling(1000, 1), modulo(100)}, "muon", 0, 0.3, 2);
  e.engine = Engine::quadrature;
  e.optimizers[0].rule = rule.name;
  e.optimizers[0].parameters = with_defaults(rule.parameters, {{"direction", std::string("polar(G)@C")}});
  CHECK_THAT(refusal(e), Contains("twin queries are apart"));
}
