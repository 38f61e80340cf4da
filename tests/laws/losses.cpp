// Other losses as formulas, experiments/rules/losses, and recovered facts that are removed.

#include <catch2/catch.hpp>

#include "experiment/read.hpp"
#include "laws/experiments.hpp"
#include "reference/decompositions.hpp"
#include "reference/project_file.hpp"
#include "sim/cost.hpp"

using namespace laws;

namespace {

Experiment loss_rule(const std::string& name) {
  const std::string path = project_file("experiments/rules/losses/" + name + ".toml");
  return parse_experiment(experiment_file_text(path), path);
}

struct Known {
  const char* name;
  double loss, head, tail;
};

/// Recovered facts removed, a few lines: how many facts are recovered after each of some steps.
std::vector<double> plain_counts(const Matrix& query, const Matrix& answer, const Vector& p, bool polar,
                                 double step_size, int steps) {
  Matrix w = Matrix::Zero(answer.rows(), query.rows());
  std::vector<double> counts;
  for (int step = 0; step <= steps; ++step) {
    const Matrix logits = answer.transpose() * w * query;
    Matrix g = logits.array().exp();
    double count = 0;
    for (Index l = 0; l < g.cols(); ++l) {
      Vector wrong = logits.col(l);
      wrong(l) = -std::numeric_limits<double>::infinity();
      const bool recovered = logits(l, l) > wrong.maxCoeff();
      g.col(l) *= p(l) / g.col(l).sum();
      g(l, l) -= p(l);
      if (recovered) g.col(l).setZero();
      count += recovered;
    }
    counts.push_back(count);
    Matrix d = answer * g * query.transpose();
    if (polar) d = reference::svd(d).polar(std::min(d.rows(), d.cols()));
    w -= step_size * d;
  }
  return counts;
}

Experiment thresholded(const ChosenRow& spectrum, const ChosenRow& side, const OptimizerRow& rule) {
  Experiment e = experiment(spectrum, side, side, 0, rule);
  e.recovered = "removed";
  return e;
}

}  // namespace

TEST_CASE("other losses end where a dense program in NumPy does, on every engine") {
  // A plain loop W ← W - η (P̂' - Π') diag(w p), P̂', Π' and w those of the loss.
  for (const Known& known :
       {Known{"logit_adjustment", 0.5233777186045425, 0.22850946470972644, 0.9583605882305536},
        Known{"smoothed_balanced", 0.10424813206966296, 0.09899829773536517, 0.09899829773536573},
        Known{"focal", 0.08126152086921829, 1.5208254384568664e-05, 0.4519618920673232}}) {
    Experiment e = loss_rule(known.name);
    int engines = 0;
    for (const std::string engine : {"columns", "symmetric", "dense"}) {
      if (!takes(e, engine)) continue;
      ++engines;
      CAPTURE(known.name, engine);
      const Result result = on_engine(e, engine);
      CHECK(series(result, "loss").back() == Approx(known.loss).epsilon(1e-12));
      CHECK(series(result, "error").end()[-40] == Approx(known.head).epsilon(1e-11));
      CHECK(series(result, "error").back() == Approx(known.tail).epsilon(1e-11));
    }
    CHECK(engines >= 2);
  }
}

TEST_CASE("logit adjustment of twelve classes has the loss and errors that another program prints") {
  Experiment e = loss_rule("logit_adjustment");
  e.spectrum = power_law(12, 1.3);
  e.steps = 40;
  e.optimizers[0].step_size = 2;
  for (const char* engine : {"symmetric", "dense"}) {
    const Result result = on_engine(e, engine);
    CHECK(series(result, "loss").back() == Approx(0.367464999706).margin(5e-13));
    CHECK(series(result, "error").end()[-12] == Approx(0.20750449).margin(5e-9));
    CHECK(series(result, "error").back() == Approx(0.73217603).margin(5e-9));
  }
}

TEST_CASE("probabilities in formulas are of training, in the coordinates of W or of the task basis") {
  Experiment e = identity_run(power_law(9.0, 1.3), "gd");
  const auto formula = [&](const std::string& direction) {
    e.optimizers = {{"it", "formula", 0.5, {{"direction", direction}}}};
  };
  const auto final_loss = [&](const std::string& engine) {
    e.engine = engine;
    return series(simulate(e, {}, 1), "loss").back();
  };
  // G diag(1/q) = (P̂ - Π), whatever training draws.
  formula("G/query_probability");
  const double plain = final_loss("columns");
  e.sampling_exponent = 0.5;
  CHECK(final_loss("columns") == Approx(plain).epsilon(1e-12));
  CHECK(final_loss("dense") == Approx(plain).epsilon(1e-12));
  e.query_embedding = e.answer_embedding = embedding("orthogonal");
  formula("ambient(T/query_probability)");
  CHECK(final_loss("dense") == Approx(plain).epsilon(1e-11));
}

TEST_CASE("the probability of an answer is that of all its queries") {
  Experiment e = identity_run(
      {"grouped_power_law", {{"groups", 3.0}, {"group_size", 4.0}, {"exponent", 1.0}}}, "gd", 0.1);
  e.answers = law_of("fan_in", {{"fan_in", 3.0}});
  e.optimizers = {{"it", "formula", 0.5, {{"direction", std::string("G*answer_probability + G")}}}};
  e.steps = 8;
  e.engine = "symmetric";
  const std::vector<double> symmetric = series(simulate(e, {}, 1), "class_loss");
  e.engine = "dense";
  const std::vector<double> dense = series(simulate(e, {}, 1), "class_loss");
  check_close(symmetric, dense, 1e-11);
}

TEST_CASE("the thresholded gradient recovers what a few plain lines recover, step by step") {
  const Index classes = 60;
  const ChosenRow side = embedding("gaussian", {{"dimension", 8.0}});
  for (const char* rule : {"gd", "muon"}) {
    Experiment e = thresholded(power_law(60.0, 1.2), side, optimizer_row(rule));
    e.steps = 6;
    e.optimizers[0].step_size = 4;
    const Result result = simulate(e, {}, 1);
    const Vector p = Eigen::Map<const Vector>(result.runs[0].class_probability.data(), classes);
    const auto expected = plain_counts(array_of(side, classes, "query"), array_of(side, classes, "answer"), p,
                                       rule == std::string("muon"), 4, 6);
    CAPTURE(rule);
    CHECK(only_trajectory(result).series.at("recovered_count") == expected);
    // There is something to remove, and removing it matters.
    e.recovered = "kept";
    CHECK(only_trajectory(simulate(e, {}, 1)).series.at("recovered_count") != expected);
  }
}
