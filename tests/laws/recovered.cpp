#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "reference/decompositions.hpp"
#include "sim/cost.hpp"

using namespace laws;

namespace {

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

TEST_CASE("the thresholded gradient recovers what a few plain lines recover, step by step") {
  const Index classes = 60;
  const ChosenRow side = embedding("gaussian", {{"dimension", 8.0}});
  for (const char* rule : {"gd", "muon"}) {
    Experiment e = thresholded(power_law(60.0, 1.2), side, optimizer_row(rule));
    e.steps = 6;
    e.optimizers[0].step_size = 4;
    const Result result = simulate(e, {}, 1);
    const auto array = [&](const char* stream) {
      return embedding_row("gaussian")
          .make(side.parameters, {.classes = classes, .seed = 1, .stream = stream});
    };
    const Vector p = Eigen::Map<const Vector>(result.runs[0].class_probability.data(), classes);
    const auto expected = plain_counts(array("query"), array("answer"), p, rule == std::string("muon"), 4, 6);
    CAPTURE(rule);
    CHECK(only_trajectory(result).series.at("recovered_count") == expected);
    // There is something to remove, and removing it matters.
    e.recovered = "kept";
    CHECK(only_trajectory(simulate(e, {}, 1)).series.at("recovered_count") != expected);
  }
}
