// What a result says of laws of answers: compared with a few lines that know nothing of units.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "reference/plain_law.hpp"

using namespace laws;

namespace {

/// Queries a to d, answers x, y, z, w; of d two answers are the most frequent.
FileReaders readers() {
  FileReaders all;
  all.pairs = [](const std::string&) {
    PairCounts counts;
    counts.query = {0, 0, 1, 2, 2, 3, 3, 3};
    counts.answer = {0, 1, 2, 0, 3, 1, 2, 3};
    counts.count = {9, 5, 8, 4, 2, 2, 2, 1};
    counts.queries = counts.answers = 4;
    return counts;
  };
  return all;
}

/// The same by hand: columns are queries.
struct Plain {
  Matrix shares, right, target;
  Vector p;

  explicit Plain(double noise, bool by_frequency) : shares(Matrix::Zero(4, 4)), right(shares), p(4) {
    Matrix counts(4, 4);
    counts << 9, 0, 4, 0, 5, 0, 0, 2, 0, 8, 0, 2, 0, 0, 2, 1;
    p = counts.colwise().sum().transpose() / counts.sum();
    for (Index l = 0; l < 4; ++l) {
      shares.col(l) = counts.col(l) / counts.col(l).sum();
      right.col(l) = (counts.col(l).array() == counts.col(l).maxCoeff()).cast<double>();
    }
    const Vector b = by_frequency ? Vector(shares * p) : Vector(Vector::Constant(4, 0.25));
    target = ((1 - noise) * shares).colwise() + noise * b;
  }
  /// After steps of gradient descent from 0 in identity embeddings.
  Matrix weights(double step_size, int steps) const {
    Matrix w = Matrix::Zero(4, 4);
    for (int t = 0; t < steps; ++t) w -= step_size * (reference::softmax_of(w) - target) * p.asDiagonal();
    return w;
  }
};

double entropy(const Vector& pi) {
  double sum = 0;
  for (const double x : pi) sum -= x > 0 ? x * std::log(x) : 0;
  return sum;
}

Experiment counted(const std::string& rule, double noise, NoiseAnswers answers, Engine engine) {
  Experiment e = experiment({}, embedding("identity"), embedding("identity"), noise, optimizer_row(rule));
  e.answers = {"counts",
               with_defaults(answer_law_row("counts").parameters, {{"path", std::string("pairs")}})};
  e.noise_answers = answers;
  e.engine = engine;
  e.steps = 3;
  e.classes.kind = ClassRule::Kind::groups;
  e.optimizers[0].step_size = 2;
  return e;
}

}  // namespace

TEST_CASE("error, loss and top-1 error of answers, and the floors, are those of a table written out") {
  for (const Engine engine : {Engine::dense, Engine::symmetric, Engine::columns}) {
    for (const double noise : {0.0, 0.3}) {
      for (const NoiseAnswers answers : {NoiseAnswers::uniform, NoiseAnswers::frequency}) {
        const bool by_frequency = answers == NoiseAnswers::frequency;
        if (by_frequency && (noise == 0 || engine == Engine::columns)) continue;
        CAPTURE(name_of(engine), noise, by_frequency);
        const Result result = simulate(counted("gd", noise, answers, engine), readers(), 1);
        const Run& run = result.runs[0];
        const auto last = [&](const std::string& name, std::size_t width) {
          const std::vector<double>& all = run.trajectories[0].series.at(name);
          return std::vector<double>(all.end() - static_cast<std::ptrdiff_t>(width), all.end());
        };
        const Plain plain(noise, by_frequency);
        const Matrix p_hat = reference::softmax_of(plain.weights(2, 3));
        const Vector error =
            (1 - plain.right.array()).matrix().cwiseProduct(p_hat).colwise().sum().transpose();
        const Vector q = plain.shares * plain.p;

        REQUIRE(run.answers);
        CHECK(run.answers->query_count == 4);
        CHECK(run.answers->answer_count == 4);
        double floor = 0, top1_floor = 0, top1 = 0, loss = 0;
        for (Index l = 0; l < 4; ++l) {
          floor += plain.p(l) * entropy(plain.target.col(l));
          top1_floor += plain.p(l) * (1 - plain.shares.col(l).maxCoeff());
          Index best = 0;
          p_hat.col(l).maxCoeff(&best);
          // Answers 1 and 2 of query 3 are alike to it, but not to the gradient of others: no tie after three steps.
          const bool tie = l == 3;
          top1 += plain.p(l) * (1 - (tie ? plain.shares(1, 3) : plain.shares(best, l)));
          loss -= plain.p(l) * plain.target.col(l).dot(p_hat.col(l).array().log().matrix());
        }
        CHECK(run.answers->loss_floor == Approx(floor).epsilon(1e-14));
        CHECK(run.answers->top1_floor == Approx(top1_floor).epsilon(1e-14));
        CHECK(last("top1_error", 1)[0] == Approx(top1).epsilon(1e-14));
        CHECK(last("loss", 1)[0] == Approx(loss).epsilon(1e-13));

        // Queries: likeliest first, here in the order of the table.
        const auto class_loss = last("class_loss", 4), class_error = last("error", 4);
        for (Index l = 0; l < 4; ++l) {
          const double own = -plain.target.col(l).dot(p_hat.col(l).array().log().matrix());
          const auto row = static_cast<std::size_t>(l);
          CHECK(run.class_probability[row] == Approx(plain.p(l)).epsilon(1e-15));
          CHECK(class_loss[row] == Approx(own).epsilon(1e-13));
          CHECK(class_error[row] == Approx(error(l)).epsilon(1e-13));
        }
        // Answers: most frequent first.
        std::vector<Index> order = {0, 1, 2, 3};
        std::ranges::stable_sort(order, std::greater<>(), [&](Index k) { return q(k); });
        const auto answer_error = last("answer_error", 4), answer_loss = last("answer_loss", 4);
        for (std::size_t g = 0; g < 4; ++g) {
          const Index k = order[g];
          const Vector shares = plain.shares.row(k).transpose(), target = plain.target.row(k).transpose();
          const Vector log_guess = p_hat.row(k).array().log().matrix().transpose();
          CHECK(run.answers->probability[g] == Approx(q(k)).epsilon(1e-14));
          CHECK(run.answers->fan_in[g] == static_cast<double>((shares.array() > 0).count()));
          CHECK(answer_error[g] == Approx(plain.p.cwiseProduct(shares).dot(error) / q(k)).epsilon(1e-13));
          CHECK(answer_loss[g] ==
                Approx(-plain.p.cwiseProduct(target).dot(log_guess) / plain.p.dot(target)).epsilon(1e-13));
        }
        for (std::size_t l = 0; l < 4; ++l) {
          Index first = 0;
          plain.right.col(static_cast<Index>(l)).maxCoeff(&first);
          const auto group = static_cast<std::size_t>(std::ranges::find(order, first) - order.begin());
          CHECK(run.answers->class_answer[l] == static_cast<double>(group));
          CHECK(run.answers->class_fan_in[l] == run.answers->fan_in[group]);
        }
      }
    }
  }
}

TEST_CASE("queries of a subject and a relation share their embeddings") {
  Experiment e = experiment({"power_law", {{"count", 3.0}, {"exponent", 1.0}}}, embedding("identity"),
                            embedding("identity"), 0, optimizer_row("gd"));
  e.answers = {"subject_relation", {{"relations", 2.0}, {"relation_exponent", 1.0}}};
  e.steps = 4;
  e.optimizers[0].step_size = 1;
  const Result result = simulate(e, {}, 1);
  CHECK(result.runs[0].trajectories[0].engine == "dense");
  // Columns e_s + e_h, p_s ∝ 1/s, p_h ∝ 1/h.
  Matrix queries = Matrix::Zero(5, 6), w = Matrix::Zero(6, 5);
  Vector p(6);
  for (Index s = 0; s < 3; ++s) {
    for (Index h = 0; h < 2; ++h) {
      queries(s, 2 * s + h) = queries(3 + h, 2 * s + h) = 1;
      p(2 * s + h) = 1.0 / static_cast<double>((s + 1) * (h + 1));
    }
  }
  p /= p.sum();
  for (int t = 0; t < 4; ++t)
    w -= (reference::softmax_of(w * queries) - Matrix::Identity(6, 6)) * p.asDiagonal() * queries.transpose();
  const double loss = -p.dot(reference::softmax_of(w * queries).diagonal().array().log().matrix());
  CHECK(result.runs[0].trajectories[0].series.at("loss").back() == Approx(loss).epsilon(1e-13));
}

TEST_CASE("what laws of answers do not have is refused or left out") {
  const auto refusal = [](const Experiment& e) -> std::string {
    try {
      simulate(e, readers(), 1);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Experiment e = counted("gd", 0, NoiseAnswers::uniform, Engine::symmetric);
  const auto with = [&](auto change) {
    Experiment other = e;
    change(other);
    return refusal(other);
  };
  using Catch::Contains;
  CHECK_THAT(with([](Experiment& x) { x.rho_epsilon = 0.1; }), Contains("run.rho_epsilon"));
  CHECK_THAT(with([](Experiment& x) { x.engine = Engine::quadrature; }), Contains("not a smooth function"));
  CHECK_THAT(with([](Experiment& x) {
               x.engine = Engine::columns;
               x.spectral_metrics = "on";
             }),
             Contains("no singular values"));
  CHECK_THAT(with([](Experiment& x) {
               x.engine = Engine::columns;
               x.data_mode = "minibatch";
               x.data_parameters = {{"batch", 4.0}};
             }),
             Contains("dense engine alone"));
  CHECK(with([](Experiment&) {}).empty());
  const Trajectory trajectory = simulate(e, readers(), 1).runs[0].trajectories[0];
  CHECK(trajectory.series.count("loss_predicted") == 0);
}

TEST_CASE("twin queries of the slow answers part once a fast answer's error is below η e/(2K√r)") {
  // Eight answers of two queries each; the first is much more frequent, so its error falls alone.
  Experiment e = experiment({"two_level", {{"count", 8.0}, {"head_fraction", 0.125}, {"head_mass", 0.6}}},
                            embedding("identity"), embedding("identity"), 0, optimizer_row("muon"));
  e.answers = {"fan_in", {{"fan_in", std::string("proportional")}, {"rounded", true}, {"within", 0.0}}};
  e.engine = Engine::symmetric;
  e.steps = 120;
  e.classes.kind = ClassRule::Kind::groups;
  e.optimizers[0].step_size = 0.25;
  const Result result = simulate(e, {}, 1);
  const Run& run = result.runs[0];
  const std::vector<double>&gain = run.trajectories[0].series.at("twin_gain"),
        &error = run.trajectories[0].series.at("error");
  REQUIRE(run.class_count.size() == 2);
  const std::size_t slow = run.answers->class_fan_in[0] > run.answers->class_fan_in[1] ? 0 : 1,
                    fast = 1 - slow;
  const double r = run.answers->class_fan_in[fast], answers = 8;
  double crossed = 0, predicted = 0;
  for (std::size_t t = 0; t + 1 < gain.size(); ++t) {
    crossed += gain[t] <= 2;
    predicted += error[2 * t + fast] >= 0.25 * error[2 * t + slow] / (2 * answers * std::sqrt(r));
  }
  CAPTURE(crossed, predicted, r);
  CHECK(crossed < 119);
  CHECK(std::abs(crossed - predicted) <= 6);  // K is 8, where the closed form is of large K
  e.engine = Engine::dense;
  const std::vector<double> dense = simulate(e, {}, 1).runs[0].trajectories[0].series.at("error");
  for (std::size_t i = 0; i < 2 * static_cast<std::size_t>(crossed); ++i)
    CHECK(dense[i] == Approx(error[i]).epsilon(1e-12));
  CHECK(dense[dense.size() - 2 + fast] > 2 * error[error.size() - 2 + fast]);
}
