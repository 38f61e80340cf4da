/// The recursions of Adam, NGD and momentum against the same in 50 digits, written from the rules' definitions.

#include <catch2/catch.hpp>
#include <cmath>

#include "model/margin.hpp"
#include "plain.hpp"

using namespace rarefact;

namespace {

const std::vector<std::int64_t> steps{0, 1, 2, 3, 10, 100, 300};

/// A logit of the right answer and of one of K - 1 wrong ones, and what a rule remembers of their gradients.
struct Column {
  plain::Real right = 0, wrong = 0, first[2] = {0, 0}, second[2] = {0, 0};
  plain::Real margin() const { return right - wrong; }
};

/// The margins of classes whose entries move by -η `direction`(column, which, gradient, all squares, t).
template <class Direction>
std::vector<plain::Real> run(const PredictionInput& input, const Direction& direction) {
  const plain::Real total = input.class_total, noise = input.label_noise;
  std::vector<Column> columns(input.class_count.size());
  std::vector<plain::Real> margins;
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) {
      std::vector<plain::Real> x;
      plain::Real squares = 0;
      for (std::size_t g = 0; g < columns.size(); ++g) {
        x.push_back(plain::Real(input.class_probability[g]) *
                    plain::shortfall(columns[g].margin(), total, noise));
        squares += plain::Real(input.class_count[g]) * x[g] * x[g] * (1 + 1 / (total - 1));
      }
      const auto [size, decay] = input.schedule.at<plain::Real>(done);
      for (std::size_t g = 0; g < columns.size(); ++g) {
        Column& column = columns[g];
        const plain::Real right = direction(column, 0, plain::Real(-x[g]), squares, done + 1),
                          wrong = direction(column, 1, plain::Real(x[g] / (total - 1)), squares, done + 1);
        column.right = (1 - size * decay) * column.right - size * right;
        column.wrong = (1 - size * decay) * column.wrong - size * wrong;
      }
    }
    for (const Column& column : columns) margins.push_back(column.margin());
  }
  return margins;
}

/// `worst` in units of 1 + m.
void compare(const char* row, const PredictionInput& input, const std::vector<plain::Real>& expected,
             double worst = 1e-13) {
  REQUIRE_FALSE(plain::row(row).objection(input));
  const std::vector<double> margins = plain::margins(row, input, steps);
  const auto in_50 = plain::margins<Real50>(row, input, steps);
  REQUIRE(margins.size() == expected.size());
  for (std::size_t i = 0; i < margins.size(); ++i) {
    CAPTURE(row, i, input.label_noise);
    CHECK(std::abs(margins[i] - static_cast<double>(expected[i])) <=
          worst * (1 + std::abs(static_cast<double>(expected[i]))));
    CHECK(abs(Real50(in_50[i] - expected[i])) <= Real50(1e-40) * (1 + abs(expected[i])));
  }
}

PredictionInput three_classes(const char* rule, double noise, double step_size) {
  PredictionInput input = plain::input(rule, 20, noise, step_size, {0.2, 0.04, 0.01});
  input.class_count = {2, 5, 13};
  return input;
}

}  // namespace

TEST_CASE(
    "the recursion of Adam is that of the entries of its gradient, with ε, noise, schedules and decay") {
  for (const double noise : {0.0, 0.1})
    for (const double epsilon : {0.0, 1e-8, 1e-2})
      for (const double decay : {0.0, 0.05}) {
        PredictionInput input = three_classes("adam", noise, 0.01);
        input.parameters = {{"beta1", 0.9}, {"beta2", 0.99}, {"epsilon", epsilon}};
        if (decay != 0) input.schedule.factor = schedule_factor("cosine"), input.schedule.steps = 300;
        input.schedule.decay = decay;
        const plain::Real beta1 = 0.9, beta2 = 0.99, small = epsilon;
        const auto expected =
            run(input, [&](Column& c, int i, const plain::Real& g, const plain::Real&, std::int64_t t) {
              c.first[i] = beta1 * c.first[i] + (1 - beta1) * g;
              c.second[i] = beta2 * c.second[i] + (1 - beta2) * g * g;
              const plain::Real up = c.first[i] / (1 - pow(beta1, t)),
                                size = sqrt(plain::Real(c.second[i] / (1 - pow(beta2, t))));
              return plain::Real(up / (size + small));
            });
        compare("adam-recursion", input, expected);
      }
}

TEST_CASE("what is left of margins and modes of two factors has its digits near the optimum") {
  for (const double start : {.3, -.3, 3.0}) {
    PredictionInput input = plain::input("gd", 4, .3, 1, {.25});
    input.factors = 2, input.start = start;
    const std::vector<std::int64_t> steps = {0, 10, 100, 200, 400};
    const auto found = plain::predicted("product-gd", input, steps);
    const auto in_50 = plain::predicted<Real50>("product-gd", input, steps);
    const plain::Real root = sqrt(plain::optimum(4, .3));
    plain::Real u = std::abs(start), left = root - u;
    std::int64_t done = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (; done < steps[i]; ++done) {
        const plain::Real move = u * shortfall_at_distance<plain::Real>(left * (root + u), 4, .3) / 3;
        u += move, left -= move;
      }
      CAPTURE(start, steps[i]);
      CHECK(found[i].left == Approx(static_cast<double>(left * (root + u))).epsilon(1e-12).margin(0));
      CHECK(found[i].value == Approx(static_cast<double>(u * u)).epsilon(1e-13));
      CHECK(static_cast<double>(in_50[i].left) ==
            Approx(static_cast<double>(left * (root + u))).epsilon(1e-13).margin(0));
    }
    PredictionInput modes = plain::input("gd", 2, 0, .3, {.7, .3});
    modes.factors = 2, modes.start = start;
    modes.squares = LeastSquares{.query_scale = 1, .query_noise = 0};
    const auto of_modes = plain::predicted("product-mode-gd", modes, {400});
    for (std::size_t g = 0; g < 2; ++g) {
      const plain::Real h = modes.class_probability[g];
      u = std::abs(start), left = 1 - u;
      for (int t = 0; t < 400; ++t) {
        const plain::Real move = plain::Real(.3) * h * left * (1 + u) * u;
        u += move, left -= move;
        if (u < 0) u = -u, left = 1 - u;
      }
      CHECK(of_modes[g].left == Approx(static_cast<double>(left * (1 + u))).epsilon(1e-12).margin(0));
    }
  }
}

TEST_CASE("the recursion of Adam has the values of 50 classes") {
  std::vector<double> p;
  double sum = 0;
  for (int k = 1; k <= 50; ++k) sum += std::pow(k, -1.5);
  for (int k = 1; k <= 50; ++k) p.push_back(std::pow(k, -1.5) / sum);
  PredictionInput input = plain::input("adam", 50, 0, 0.05, p);
  input.parameters = {{"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 0.0}};
  const auto margins = plain::margins("adam-recursion", input, {3, 89, 6000});
  for (const std::size_t group : {0, 49}) {
    CHECK(margins[group] == Approx(0.29997895).epsilon(1e-7));
    CHECK(error_of_margin(margins[50 + group], 50) == Approx(0.09965565).epsilon(1e-6));
    CHECK(error_of_margin(margins[100 + group], 50) == Approx(4.8569764e-5).epsilon(1e-7));
  }
}

TEST_CASE("the recursion of NGD divides by the norm of all columns") {
  for (const double noise : {0.0, 0.1}) {
    PredictionInput input = three_classes("ngd", noise, 0.05);
    input.schedule.factor = schedule_factor("inverse_sqrt");
    const auto divided = [](Column&, int, const plain::Real& g, const plain::Real& squares, std::int64_t) {
      return plain::Real(g / sqrt(squares));
    };
    compare("ngd-recursion", input, run(input, divided));
    input.equicorrelated = true, input.orthonormal = input.identity = false, input.answer_cosine = 0.75;
    PredictionInput shorter = input;
    shorter.answer_cosine = 0, shorter.schedule.step_size *= 0.5;
    compare("ngd-recursion", input, run(shorter, divided));
  }
  PredictionInput late = three_classes("ngd", 0, 10);
  CHECK(std::isfinite(
      plain::margins("ngd-recursion", late, {200}).back()));  // squares underflow, not the recursion
}

TEST_CASE("the recursion of momentum keeps B, as a sum or an average, with or without a look ahead") {
  for (const double noise : {0.0, 0.1})
    for (const bool nesterov : {false, true})
      for (const std::string kind : {"sum", "average"}) {
        PredictionInput input = three_classes("momentum", noise, 0.5);
        input.parameters = {{"momentum", 0.75}, {"nesterov", nesterov}, {"momentum_kind", kind}};
        const plain::Real mu = 0.75, gain = kind == "sum" ? 1 : 0.25;
        compare("momentum-recursion", input,
                run(input, [&](Column& c, int i, const plain::Real& g, const plain::Real&, std::int64_t) {
                  c.first[i] = mu * c.first[i] + gain * g;
                  return nesterov ? plain::Real(gain * g + mu * c.first[i]) : c.first[i];
                }));
      }
}

TEST_CASE("walks of changing steps add η_t until the optimum, then go back and forth") {
  PredictionInput input = plain::input("tra_signgd", 64, 0.1, 0.7, {0.02, 0.001});
  input.schedule.factor = schedule_factor("linear"), input.schedule.steps = 40;
  const double optimum = optimal_margin(64, 0.1);
  double margin = 0;
  for (std::int64_t t = 0; t <= 40; ++t) {
    CHECK(plain::margins("sign-descent", input, {t}).back() == Approx(margin).epsilon(1e-13));
    margin += 2 * 0.7 * (1 - static_cast<double>(t) / 40) * (margin < optimum ? 1 : -1);
  }
}

TEST_CASE("the mean total error of signs on minibatches has known values") {
  // By a program in Python, which 400 seeds confirm.
  std::vector<double> p;
  double sum = 0;
  for (int k = 1; k <= 150; ++k) sum += std::pow(k, -1.5);
  for (int k = 1; k <= 150; ++k) p.push_back(std::pow(k, -1.5) / sum);
  PredictionInput input = plain::input("signgd", 150, 0, 0.1, p);
  input.population = false, input.batch = 64;
  const std::vector<PredictedMean> means =
      plain::row("sign-binomial").means(input, std::vector<std::int64_t>{50, 100, 400});
  const double known[] = {.181376, .112867, .042605};
  for (std::size_t s = 0; s < 3; ++s) {
    double error = 0;
    for (std::size_t l = 0; l < 150; ++l) error += p[l] * means[150 * s + l].error;
    CHECK(error == Approx(known[s]).margin(6e-7).epsilon(0));
  }
}

TEST_CASE("the mean over minibatches of signs is that of the binomial law of its margin") {
  PredictionInput input = plain::input("signgd", 150, 0, 0.1, {0.3, 0.004, 1e-5, 1e-12});
  input.population = false, input.batch = 64;
  const PredictionRow& row = plain::row("sign-binomial");
  REQUIRE_FALSE(row.objection(input));
  const std::vector<std::int64_t> steps = {0, 1, 50, 400, 3000};
  const std::vector<PredictedMean> means = row.means(input, steps);
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (std::size_t g = 0; g < input.class_count.size(); ++g) {
      const plain::Real missed = pow(1 - plain::Real(input.class_probability[g]), 64), drawn = 1 - missed,
                        others = 149;
      plain::Real share = pow(missed, static_cast<int>(steps[s])), error = 0, loss = 0;
      for (std::int64_t j = 0; j <= steps[s]; ++j) {
        const plain::Real odds = others * exp(plain::Real(-2 * plain::Real(0.1) * j));
        error += share * odds / (1 + odds),
            loss += share * (odds < 1e-25 ? odds : log(plain::Real(1 + odds)));
        share *= plain::Real(steps[s] - j) / plain::Real(j + 1) * drawn / missed;
      }
      const PredictedMean& mean = means[s * input.class_count.size() + g];
      CAPTURE(steps[s], g);
      CHECK(mean.error == Approx(static_cast<double>(error)).epsilon(1e-12).margin(1e-300));
      CHECK(mean.excess_loss == Approx(static_cast<double>(loss)).epsilon(1e-12).margin(1e-300));
    }
  for (const auto& change : std::vector<void (*)(PredictionInput&)>{
           [](PredictionInput& x) { x.batch = 0; }, [](PredictionInput& x) { x.label_noise = 0.1; },
           [](PredictionInput& x) { x.identity = false; },
           [](PredictionInput& x) { x.schedule.factor = schedule_factor("cosine"); },
           [](PredictionInput& x) { x.schedule.decay = 0.1; }}) {
    PredictionInput other = input;
    change(other);
    CHECK(row.objection(other));
  }
}
