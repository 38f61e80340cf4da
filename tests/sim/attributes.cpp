// Queries that are sums of a subject and a relation: dense runs, runs in orbits, and the recursion of four numbers.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "laws/experiments.hpp"
#include "reference/plain_law.hpp"
#include "reference/precise_run.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

Experiment of_attributes(std::vector<double> counts, std::vector<double> exponents, const std::string& rule,
                         double step_size, std::int64_t steps, const std::string& engine) {
  Experiment e =
      identity_run({"product", {{"counts", std::move(counts)}, {"exponents", std::move(exponents)}}}, rule);
  e.query_embedding = embedding("attributes");
  e.engine = engine;
  e.steps = steps;
  e.optimizers[0].step_size = step_size;
  return e;
}

/// The loss, and the errors of subjects and of relations, at the last step.
std::array<double, 3> last(const Result& result) {
  return {series(result, "loss").back(), series(result, "attribute_error_subject").back(),
          series(result, "attribute_error_relation").back()};
}

struct Margins {
  double subject = 0, relation = 0;
};

/// Fixed gains b, uniform attributes, W(0) = 0: two recursions that do not see each other.
Margins recursion(const std::string& rule, double s, double r, const std::array<double, 2>& b, double eta,
                  int steps) {
  Margins x;
  for (int t = 0; t < steps; ++t) {
    const double e_s = 1 / (1 + std::exp(x.subject) / (s - 1)),
                 e_r = 1 / (1 + std::exp(x.relation) / (r - 1));
    const bool muon = rule == "muon";
    x.subject += eta * std::abs(b[0]) * (muon ? 1 / std::sqrt(r) : std::abs(b[0]) * e_s / ((s - 1) * r));
    x.relation += eta * std::abs(b[1]) * (muon ? 1 / std::sqrt(s) : std::abs(b[1]) * e_r / ((r - 1) * s));
  }
  return x;
}

double error_of(double margin, double values) {
  return 1 / (1 + std::exp(margin) / (values - 1));
}

}  // namespace

TEST_CASE(
    "equally likely subjects and relations follow two recursions that do not see each other, on both engines") {
  for (const std::string rule : {"gd", "muon"}) {
    for (const std::string engine : {"symmetric", "dense"}) {
      for (const auto& b : {std::array<double, 2>{1, 1}, std::array<double, 2>{0.5, -2}}) {
        const double eta = rule == "gd" ? 3 : 0.1;
        Experiment e = of_attributes({8, 4}, {0, 0}, rule, eta, 40, engine);
        e.query_embedding.parameters.set("gains", std::vector<double>{b[0], b[1]});
        const Margins x = recursion(rule, 8, 4, b, eta, 40);
        const double e_s = error_of(x.subject, 8), e_r = error_of(x.relation, 4);
        const Result result = simulate(e, {}, 1);
        const auto [loss, of_subject, of_relation] = last(result);
        CAPTURE(rule, engine, b[0], b[1]);
        CHECK(only_trajectory(result).engine == engine);
        CHECK(of_subject == Approx(e_s).epsilon(1e-11));
        CHECK(of_relation == Approx(e_r).epsilon(1e-11));
        CHECK(loss == Approx(-std::log1p(-e_s) - std::log1p(-e_r)).epsilon(1e-11));
      }
    }
  }
}

TEST_CASE(
    "a million subjects and sixteen relations are four numbers, and a learned attribute keeps its digits") {
  const double s = 0x1p20, r = 16, eta = 0.5;
  for (const std::string rule : {"gd", "muon"}) {
    const double step = rule == "gd" ? 1e6 : eta;
    Experiment e = of_attributes({s, r}, {0, 0}, rule, step, 400, "auto");
    e.classes = {};
    const Result result = simulate(e, {}, 1);
    const Margins x = recursion(rule, s, r, {1, 1}, step, 400);
    const auto [loss, of_subject, of_relation] = last(result);
    CAPTURE(rule);
    CHECK(only_trajectory(result).engine == "symmetric");
    CHECK(of_subject == Approx(error_of(x.subject, s)).epsilon(1e-11));
    CHECK(of_relation == Approx(error_of(x.relation, r)).epsilon(1e-11));
    if (rule == "muon") CHECK(of_subject < 1e-12 * of_relation);
  }
}

TEST_CASE(
    "orbits of attributes follow the dense run, whatever the counts, marginals, gains, noise and rule, trained gains too") {
  using Rules = std::vector<std::string>;
  for (const bool trained : {false, true}) {
    std::mt19937 random(trained ? 2 : 1);
    const auto draw = [&](double low, double high) {
      return std::uniform_real_distribution(low, high)(random);
    };
    for (int i = 0; i < (trained ? 16 : 24); ++i) {
      const double s = std::floor(draw(2, 8.99)), r = std::floor(draw(2, 8.99));
      const std::vector<std::vector<double>> marginals = {{0, 0}, {draw(0.2, 1.5), 0}, {0, draw(0.2, 1.5)}};
      for (const std::vector<double>& exponents : marginals) {
        for (const std::string& rule :
             trained ? Rules{"gd", "muon"} : Rules{"gd", "muon", "ngd", "signgd", "adam", "momentum"}) {
          const double step_size = rule == "gd" || rule == "momentum" ? 2 : 0.04;
          Experiment e = of_attributes({s, r}, exponents, rule, step_size, 8, "symmetric");
          e.train_gains = trained;
          e.label_noise = i % 3 == 0 ? 0.1 : 0;
          if (i % 4 == 1) e.init = {"manifold", {{"scale", 0.3}}};
          e.push = e.curvature = true;
          if (!trained) e.spectral_metrics = "auto";
          const double first = draw(0.5, 2), second = trained ? draw(-2, -0.5) : draw(0.5, 2);
          e.query_embedding.parameters.set("gains", std::vector<double>{first, second});
          const Result orbits = simulate(e, {}, 1);
          const Result dense = on_engine(e, "dense");
          CAPTURE(s, r, exponents, rule, e.label_noise, trained);
          CHECK(largest_difference(orbits, dense) < 1e-10);
          if (i == 0 && !trained) CHECK(distance(orbits, on_engine(e, "50 digits")) < 1e-11);
          for (const char* name : {"attribute_error_subject", "attribute_error_relation", "push"})
            REQUIRE(series(orbits, name).size() == series(dense, name).size());
        }
      }
    }
  }
}

TEST_CASE("polynomials of gradients of attributes have as many directions as 80 digits find") {
  const double s = 4, r = 3;
  Matrix query = Matrix::Zero(7, 12);
  for (Index l = 0; l < 12; ++l) query(l / 3, l) = query(4 + l % 3, l) = 1;
  for (const std::vector<double>& exponents :
       std::vector<std::vector<double>>{{0, 0}, {1, 0}, {0, 1}, {1, 1}}) {
    std::vector<double> weights;
    for (int l = 0; l < 12; ++l)
      weights.push_back(std::pow(1 + l / 3, -exponents[0]) * std::pow(1 + l % 3, -exponents[1]));
    const bool uniform = exponents[0] * exponents[1] == 0;
    // The last step of momentum too: sums of gradients have the same null vector.
    for (const double momentum : {0.0, 0.5}) {
      const auto truth =
          reference::precise_run<80>({query, {}, reference::own_answers(weights)}, "muon", 0.3, momentum, 4);
      for (const auto& state : truth) REQUIRE(state.rank == (uniform ? 5 : 6));
    }
    for (const bool on_manifold : {false, true}) {
      if (on_manifold && exponents[0] == exponents[1]) continue;
      Experiment e = of_attributes({s, r}, exponents, "muon", 0.3, 4, uniform ? "symmetric" : "dense");
      if (on_manifold) e.init = {"manifold", {{"scale", 0.3}}};
      e.spectral_metrics = "on";
      for (const char* order : {"before", "after"}) {
        e.optimizers[0].parameters = with_defaults(
            optimizer_row("muon").parameters,
            {{"polar", "polar_express"}, {"momentum", 0.5}, {"momentum_order", std::string(order)}});
        const Result result = simulate(e, {}, 1);
        for (std::size_t t = 0; t < 5; ++t) {
          CAPTURE(exponents, order, on_manifold, t, only_trajectory(result).status_detail);
          CHECK(series(result, "update_rank")[t] == (uniform ? 5 : 6));
          CHECK(series(result, "update_entropy")[t] > 0.99);
          if (t > 0 || on_manifold) CHECK(series(result, "weight_rank")[t] == (uniform ? 5 : 6));
        }
        CHECK_THAT(only_trajectory(result).status_detail, !Catch::Contains("rank"));
      }
    }
  }
}

TEST_CASE("Gram matrices of attributes at very different stages keep all digits, in repetitions too") {
  for (const std::int64_t precision : {16, 50}) {
    Experiment e = of_attributes({4, 2}, {0, 0}, "muon", 0.2, 140, "symmetric");
    const Result exact = simulate(e, {}, 1);
    e.optimizers[0].rule = "formula";
    e.optimizers[0].parameters = {{"direction", "power(G@G.T, -0.5)@G"}};
    e.digits = "on";
    e.precision = precision;
    const Result result = simulate(e, {}, 1);
    CAPTURE(precision);
    CHECK(distance(exact, result) < 1e-10);
    CHECK(series(result, "digits").back() > 10);
  }
}

TEST_CASE("dense runs of attributes with two power laws do what the definition says, rotated or not") {
  Experiment e = of_attributes({4, 3}, {1.2, 0.7}, "gd", 2, 12, "auto");
  Matrix queries = Matrix::Zero(7, 12), w = Matrix::Zero(12, 7);
  Vector p(12), subject(12);
  for (Index l = 0; l < 12; ++l) {
    const Index s = l / 3, r = l % 3;
    queries(s, l) = queries(4 + r, l) = 1;
    p(l) = std::pow(double(s + 1), -1.2) * std::pow(double(r + 1), -0.7);
  }
  p /= p.sum();
  for (int t = 0; t < 12; ++t)
    w -= 2 * (reference::softmax_of(w * queries) - Matrix::Identity(12, 12)) * p.asDiagonal() *
         queries.transpose();
  const Matrix likely = reference::softmax_of(w * queries);
  for (const bool rotated : {false, true}) {
    e.query_embedding.parameters.set("rotated", rotated);
    const Result result = simulate(e, {}, 1);
    CHECK(only_trajectory(result).engine == "dense");
    CHECK(series(result, "loss").back() ==
          Approx(-p.dot(likely.diagonal().array().log().matrix())).epsilon(1e-12));
    const std::vector<double>& seen = series(result, "attribute_error_subject");
    for (Index l = 0; l < 12; ++l) {
      double wrong = 0;
      for (Index k = 0; k < 12; ++k) wrong += k / 3 != l / 3 ? likely(k, l) : 0;
      CHECK(seen[seen.size() - 12 + static_cast<std::size_t>(l)] == Approx(wrong).epsilon(1e-11));
    }
  }
}

TEST_CASE(
    "predictions of equally likely attributes are what gd and Muon do, with decay and schedules, in both precisions") {
  for (const std::string rule : {"gd", "muon"}) {
    for (const std::string engine : {"symmetric", "dense", "50 digits"}) {
      Experiment e = of_attributes({6, 5}, {0, 0}, rule, rule == "gd" ? 4 : 0.1, 40, engine);
      e.query_embedding.parameters.set("gains", std::vector<double>{-0.7, 1.5});
      e.optimizers[0].weight_decay = 0.02;
      e.optimizers[0].schedule = "linear";
      CAPTURE(rule, engine);
      check_predicted(on_engine(e, engine), {"loss", "error", "class_loss"}, 1e-12);
    }
  }
}

TEST_CASE(
    "trained gains follow the four numbers of an independent program, on both engines and in fifty digits") {
  for (const bool muon : {false, true}) {
    const double x_s = muon ? 5.07965977689184 : 8.13866557963073,
                 x_r = muon ? 4.21053042594671 : 7.6748767033385;
    Experiment e =
        of_attributes({8, 4}, {0, 0}, muon ? "muon" : "gd", muon ? 0.05 : 2, muon ? 120 : 300, "symmetric");
    e.train_gains = true;
    e.query_embedding.parameters.set("gains", std::vector<double>{0.05, 0.05});
    e.init = {"manifold", {{"scale", 0.05}}};
    const auto check = [&](const char* engine, double tolerance) {
      CAPTURE(e.optimizers[0].rule, engine, e.precision);
      const Result result = on_engine(e, engine);
      const auto [loss, of_subject, of_relation] = last(result);
      CHECK(only_trajectory(result).engine == engine);
      CHECK(of_subject == Approx(error_of(x_s, 8)).epsilon(tolerance));
      CHECK(of_relation == Approx(error_of(x_r, 4)).epsilon(tolerance));
      CHECK(series(result, "loss_predicted").back() == Approx(loss).epsilon(tolerance));
    };
    check("symmetric", 1e-12);
    // Muon makes rounding that breaks the symmetry larger.
    check("dense", muon ? 1e-10 : 1e-12);
    e.precision = 50;
    check("symmetric", 1e-12);
  }
}

TEST_CASE("subjects of a power law in keys have the losses of their rounded counts in 60 digits") {
  Experiment e = of_attributes({4, 2}, {1, 0}, "muon", 0.2, 100, "auto");
  e.spectral_metrics = "on";
  const Result result = simulate(e, {}, 1);
  const std::vector<double>& loss = series(result, "loss");
  for (const auto& [step, value] :
       {std::pair{43, 0.0195602328329}, {60, 0.00297882856747}, {100, 4.5710390139e-05}})
    CHECK(loss[static_cast<std::size_t>(step)] == Approx(value).epsilon(1e-6));
  for (const double rank : series(result, "update_rank")) CHECK((std::isnan(rank) || rank == 4));
}

namespace {

/// The time in which the flow of gradient descent with trained gains learns n values beside m others, from a start of
/// ε: that of steps of δ of the growth rate, extrapolated to δ = 0.
double learning_time(double n, double m, double epsilon) {
  const auto time = [&](double delta) {
    const double step_size = delta * n * std::sqrt(m / (1 - 1 / n));
    const auto steps = static_cast<std::int64_t>((15 - std::log(epsilon)) / delta);
    Experiment e = of_attributes({n, m}, {0, 0}, "gd", step_size, steps, "symmetric");
    e.train_gains = true;
    e.classes = {};
    e.query_embedding.parameters.set("gains", std::vector<double>{epsilon, epsilon});
    e.init = {"manifold", {{"scale", epsilon}}};
    const Result result = simulate(e, {}, 1);
    std::vector<double> odds = series(result, "attribute_error_subject");
    for (double& error : odds) error = std::log1p(-error) - std::log(error);
    const auto learned = std::ranges::find_if(odds, [](double x) { return x >= std::log(9); });
    const auto late = static_cast<std::size_t>(learned - odds.begin());
    REQUIRE(late < odds.size());
    const double part = (std::log(9) - odds[late - 1]) / (odds[late] - odds[late - 1]);
    return step_size * (static_cast<double>(late) - 1 + part);
  };
  return 2 * time(0.02) - time(0.04);
}

}  // namespace

TEST_CASE("with trained gains subjects are learned later than relations, by the ratios of another program") {
  for (const auto& [epsilon, ratio] : {std::pair{1e-2, 173.7}, {1e-6, 209.3}, {1e-12, 225.5}})
    CHECK(learning_time(0x1p20, 16, epsilon) / learning_time(16, 0x1p20, epsilon) ==
          Approx(ratio).margin(0.05));
  // The limit is approached as 1/ln(1/ε).
  const auto growth = [](double n, double m) {
    return learning_time(n, m, 1e-8) - learning_time(n, m, 1e-6);
  };
  CHECK(growth(16, 3) / growth(3, 16) == Approx(1.9475).margin(1e-4));
}
