// Laws of answers that are smooth in the rank: nodes of answers, against every query written out.

#include <catch2/catch.hpp>
#include <cmath>

#include "model/smooth_law.hpp"
#include "quadrature_truth.hpp"

using namespace laws;

namespace {

/// The queries of an answer are alike.
ChosenRow fan_in(const Value& law) {
  return law_of("fan_in", {{"fan_in", law}, {"rounded", false}});
}

const Value sixteen_and_falling = std::vector<double>{0.5, 16};
const Value proportional = std::string("proportional");

Experiment run_of(const ChosenRow& spectrum, const ChosenRow& answers, const std::string& rule, double noise,
                  double step_size, std::int64_t steps) {
  Experiment e = identity_run(spectrum, rule, noise);
  e.answers = answers;
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  return e;
}

}  // namespace

TEST_CASE("equally likely answers with falling fan-ins are a smooth law although their spectrum is none") {
  Experiment e = run_of({"uniform", {{"count", 256.0}}}, fan_in(sixteen_and_falling), "muon", 0, 0.5, 20);
  const TrueError error = true_error(e, "symmetric");
  CHECK(error.certified <= 1e-10);
  CHECK(error.truth <= 1e-10);
}

TEST_CASE("classes whose noise is by frequency are nodes as well") {
  Experiment e = run_of(power_law(200, 1), {"identity", {}}, "muon", 0.1, 0.405, 10);
  e.noise_answers = "frequency";
  const TrueError error = true_error(e, "symmetric");
  CAPTURE(error.certified, error.truth);
  CHECK(error.certified <= 1e-10);
  CHECK(error.truth <= 1e-10);
}

TEST_CASE(
    "what nodes say of single queries, answers, their noise and their twins is what all written out say",
    "[numbers]") {
  bool recovered = false;
  for (const std::string answers : {"uniform", "frequency"}) {
    for (const double noise : {0.0, 0.2}) {
      for (const std::string rule : {"muon", "gd"}) {
        Experiment e = run_of(power_law(200, 0.7), fan_in(sixteen_and_falling), rule, noise,
                              (rule == "gd" ? 60 : 1) * 0.4, 12);
        e.noise_answers = noise > 0 ? answers : "uniform";
        e.classes = {ClassRule::Kind::list,
                     {{ClassAt::Kind::rank, 1},
                      {ClassAt::Kind::rank, 100},
                      {ClassAt::Kind::percent, 50},
                      {ClassAt::Kind::last}}};
        const Result exact = on_engine(e, "symmetric");
        const Result nodes = on_engine(e, "quadrature");
        CAPTURE(rule, noise, answers);
        const AnswerGroups &all = *exact.runs[0].answers, &some = *nodes.runs[0].answers;
        CHECK(some.query_count == Approx(all.query_count).epsilon(1e-13));
        CHECK(some.answer_count == all.answer_count);
        CHECK(some.loss_floor == Approx(all.loss_floor).epsilon(1e-12));
        CHECK(exact.runs[0].class_probability == nodes.runs[0].class_probability);
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
            CHECK(some.class_fan_in[row] == Approx(all.class_fan_in[row]).epsilon(1e-13));
            for (const char* name : {"error", "class_loss"})
              CHECK(y.at(name)[t * rows + row] == Approx(x.at(name)[t * rows + row]).epsilon(1e-9));
            const auto a = static_cast<std::size_t>(all.class_answer[row]),
                       b = static_cast<std::size_t>(some.class_answer[row]);
            CHECK(some.probability[b] == Approx(all.probability[a]).epsilon(1e-12));
            for (const char* name : {"answer_error", "answer_loss"})
              CHECK(y.at(name)[t * some.count.size() + b] ==
                    Approx(x.at(name)[t * all.count.size() + a]).epsilon(1e-9));
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

TEST_CASE("the certificate is no smaller than what the rows of answers and the top-1 error differ by") {
  Experiment e = run_of(power_law(200, 1.1), fan_in(4.0), "gd", 0.6, 24, 12);
  e.query_embedding = e.answer_embedding = embedding("equicorrelated", {{"rho", 0.7}});
  e.noise_answers = "frequency";
  e.engine = "quadrature";
  const auto with_nodes = [&](std::int64_t nodes, double step_size) {
    e.nodes = nodes;
    e.optimizers[0].step_size = step_size;
    return only_trajectory(simulate(e, {}, 1));
  };
  const double step_size = 24;
  const Trajectory fine = with_nodes(32, step_size), coarse = with_nodes(16, std::nextafter(step_size, 25.0));
  double largest = 0;
  for (const char* name : {"top1_error", "answer_error", "answer_loss"}) {
    const std::vector<double>&x = fine.series.at(name), &y = coarse.series.at(name);
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]) / x[i]);
  }
  CHECK(largest > 1e-9);
  CHECK(largest <=
        fine.quadrature_error * (1 + 1e-6));  // whose coarse run has another last digit of the step size
}

TEST_CASE(
    "a million million answers with fan-ins of their own: gradient descent column by column, Muon by the root of r") {
  const double answers = 1e12;
  Experiment e = run_of(power_law(answers, 1.2), fan_in(std::vector<double>{0.5, 1e6}), "gd", 0, 20, 30);
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

  Experiment equal = run_of(power_law(answers, 0.5), fan_in(proportional), "muon", 0, 0.5, 30);
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
    "where queries are not in the order of their answers, nodes are, and classes by rank need answers written out") {
  const ChosenRow zipf{"zipf_mandelbrot", {{"count", 300.0}, {"exponent", 1.0}, {"shift", 2.7}}};
  Experiment e = run_of(zipf, fan_in(std::vector<double>{0.5, 20}), "signgd", 0, 0.3, 6);
  e.classes = {};
  e.engine = "quadrature";
  CHECK(std::ranges::is_sorted(simulate(e, {}, 1).runs[0].class_probability, std::greater<>()));
  const TrueError error = true_error(e, "columns");
  CHECK(error.truth <= std::max(1e-10, error.certified));
  e.spectrum.parameters.set("count", 1e9);
  e.answers = fan_in(std::vector<double>{0.5, 1e6});
  CHECK(only_trajectory(simulate(e, {}, 1)).status == "complete");
  e.classes = {ClassRule::Kind::list, {{ClassAt::Kind::last}}};
  CHECK_THROWS_WITH(simulate(e, {}, 1),
                    Catch::Contains("the most likely queries are not those of the first answers"));
  e.answers = fan_in(proportional);
  CHECK(only_trajectory(simulate(e, {}, 1)).status == "complete");
}
