#include <catch2/catch.hpp>
#include <cmath>

#include "laws/experiments.hpp"
#include "reference/decompositions.hpp"
#include "reference/hessian.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

const Component zipf = power_law(40.0, 1.3);

Experiment newton(const Component& side, double step_size, std::int64_t steps, double noise = 0,
                  double damping = 0) {
  Experiment e = experiment(zipf, side, side, noise, optimizer_row("newton"));
  e.optimizers[0].step_size = step_size;
  e.optimizers[0].parameters.set("damping", damping);
  e.steps = steps;
  return e;
}

/// The loss after every step of plain Newton descent with a factorised Hessian.
std::vector<double> plain_losses(const Matrix& query, const Matrix& answer, const Vector& p, double step_size,
                                 double damping, std::int64_t steps) {
  Matrix w = Matrix::Zero(answer.rows(), query.rows());
  std::vector<double> losses;
  for (std::int64_t step = 0; step <= steps; ++step) {
    Matrix probability = (answer.transpose() * w * query).array().exp();
    Matrix residual = probability;
    double loss = 0;
    for (Index l = 0; l < p.size(); ++l) {
      residual.col(l) /= residual.col(l).sum();
      loss -= p(l) * std::log(residual(l, l));
      residual(l, l) -= 1;
      residual.col(l) *= p(l);
    }
    losses.push_back(loss);
    Matrix h = reference::hessian(w, query, answer, p);
    h.diagonal().array() += damping;
    const Matrix g = answer * residual * query.transpose();
    w -= step_size * reference::least_squares(h, g.reshaped()).reshaped(w.rows(), w.cols());
  }
  return losses;
}

}  // namespace

TEST_CASE("a newton run is that of a few plain lines with a factorised Hessian") {
  const Component side = embedding("gaussian", {{"dimension", 6.0}});
  for (const double damping : {0.0, 1e-3}) {
    const Experiment e = newton(side, damping > 0 ? 1 : 0.2, 8, 0, damping);
    const Result result = simulate(e, {}, 1);
    const auto array = [&](const char* stream) {
      return embedding_row("gaussian").make(side.parameters, {.classes = 40, .seed = 1, .stream = stream});
    };
    const Vector p = Eigen::Map<const Vector>(result.runs[0].class_probability.data(), 40);
    const auto expected =
        plain_losses(array("query"), array("answer"), p, e.optimizers[0].step_size.number, damping, 8);
    const auto& loss = only_trajectory(result).series.at("loss");
    CAPTURE(damping);
    for (std::size_t t = 0; t <= 8; ++t) CHECK(loss[t] == Approx(expected[t]).epsilon(1e-9));
    CHECK(loss[8] < loss[0]);
  }
}

TEST_CASE("newton's margins are predicted where embeddings are independent, not where classes may interact") {
  const auto predicted = [](const Component& side) {
    return only_trajectory(simulate(newton(side, 0.02, 1), {}, 1)).series.contains("loss_predicted");
  };
  CHECK(predicted(embedding("orthogonal", {{"dimension", 50.0}})));
  CHECK(predicted(embedding("toeplitz", {{"rho", 0.5}})));
  CHECK_FALSE(predicted(embedding("gaussian", {{"dimension", 39.0}})));  // fewer dimensions than classes
}

TEST_CASE("a newton run whose solve stalls is diverged, says why, and keeps what was recorded") {
  // After the first step margins are millions and wrong answers e^-1000000 or less, which no exponent of
  // doubles holds, but label noise pushes on.
  Experiment e = newton(embedding("identity"), 1e5, 5, 0.1);
  for (const char* metrics : {"on", "off"}) {
    e.spectral_metrics = metrics;
    const Result result = simulate(e, {}, 1);
    const Trajectory& t = only_trajectory(result);
    CHECK(t.status == "diverged");
    CHECK(t.status_step == 1);
    CHECK(t.status_detail.find("relative residual of") != std::string::npos);
    CHECK(std::isfinite(t.series.at("loss")[1]));
    CHECK(std::isnan(t.series.at("loss")[2]));
  }
}
