// What a result says of laws of answers: compared with a few lines that know nothing of components.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "reference/plain_law.hpp"

using namespace laws;

namespace {

/// Rows are answers, columns queries; of the last query two answers are the most frequent. In the second table the first
/// query and the third answer have an identical one.
Matrix table(bool multiplicity) {
  Matrix counts = Matrix::Zero(4 + multiplicity, 4 + multiplicity);
  counts.topLeftCorner(4, 4) << 9, 0, 4, 0, 5, 0, 0, 2, 0, 8, 0, 2, 0, 0, 2, 1;
  if (!multiplicity) return counts;
  counts.row(2).setZero();
  counts.row(2)(1) = counts.row(4)(1) = 6;
  counts.row(1)(3) = counts.row(3)(3) = 2;
  counts.col(4) = counts.col(0);
  return counts;
}

/// The same by hand: columns are queries.
struct Plain {
  Matrix shares, right, target;
  Vector p;

  Plain(const Matrix& counts, double noise, bool by_frequency)
      : shares(Matrix::Zero(counts.rows(), counts.cols())), right(shares) {
    p = counts.colwise().sum().transpose() / counts.sum();
    for (Index l = 0; l < counts.cols(); ++l) {
      shares.col(l) = counts.col(l) / counts.col(l).sum();
      right.col(l) = (counts.col(l).array() == counts.col(l).maxCoeff()).cast<double>();
    }
    const double even = 1 / static_cast<double>(counts.rows());
    const Vector b = by_frequency ? Vector(shares * p) : Vector(Vector::Constant(counts.rows(), even));
    target = ((1 - noise) * shares).colwise() + noise * b;
  }
  /// After steps of gradient descent from 0 in identity embeddings.
  Matrix weights(double step_size, int steps) const {
    Matrix w = Matrix::Zero(target.rows(), target.cols());
    for (int t = 0; t < steps; ++t) w -= step_size * (reference::softmax_of(w) - target) * p.asDiagonal();
    return w;
  }
};

double entropy(const Vector& pi) {
  double sum = 0;
  for (const double x : pi) sum -= x > 0 ? x * std::log(x) : 0;
  return sum;
}

Experiment counted(const std::string& rule, double noise, const std::string& answers,
                   const std::string& engine) {
  Experiment e = identity_run({}, rule, noise);
  e.answers = law_of("counts", {{"path", std::string("pairs")}});
  e.noise_answers = answers;
  e.engine = engine;
  e.steps = 3;
  e.classes.kind = ClassRule::Kind::groups;
  e.optimizers[0].step_size = 2;
  return e;
}

/// π₀ of the answer with the largest logit, the mean over ties.
double top_share(const Vector& logits, const Vector& shares) {
  double sum = 0, number = 0;
  for (Index k = 0; k < logits.size(); ++k) {
    if (logits(k) < logits.maxCoeff() - 1e-12) continue;
    sum += shares(k);
    ++number;
  }
  return sum / number;
}

/// Of alike rows, or columns, the first, the largest `by` first.
std::vector<Index> first_of_alike(const Matrix& columns, const Vector& by) {
  std::vector<Index> first;
  for (Index i = 0; i < columns.cols(); ++i) {
    const auto alike = [&](Index j) { return by(j) == by(i) && columns.col(j) == columns.col(i); };
    if (std::ranges::none_of(first, alike)) first.push_back(i);
  }
  std::ranges::stable_sort(first, std::greater<>(), [&](Index i) { return by(i); });
  return first;
}

void check_measures(bool multiplicity, const std::string& engine, double noise, bool by_frequency) {
  CAPTURE(multiplicity, engine, noise, by_frequency);
  const std::string answers = by_frequency ? "frequency" : "uniform";
  const Matrix counts = table(multiplicity);
  const Result result = simulate(counted("gd", noise, answers, engine), reference::readers_of(counts), 1);
  const Run& run = result.runs[0];
  const Plain plain(counts, noise, by_frequency);
  const Matrix logits = plain.weights(2, 3), p_hat = reference::softmax_of(logits);
  const Vector error = (1 - plain.right.array()).matrix().cwiseProduct(p_hat).colwise().sum().transpose();
  const Vector q = plain.shares * plain.p;
  const std::vector<Index> queries = first_of_alike(counts, plain.p),
                           order = first_of_alike(counts.transpose(), q);
  const auto last = [&](const std::string& name, std::size_t width) {
    const std::vector<double>& all = run.trajectories[0].series.at(name);
    return std::vector<double>(all.end() - static_cast<std::ptrdiff_t>(width), all.end());
  };

  REQUIRE(run.answers);
  CHECK(run.answers->query_count == static_cast<double>(counts.cols()));
  CHECK(run.answers->answer_count == static_cast<double>(counts.rows()));
  double floor = 0, top1_floor = 0, top1 = 0, loss = 0;
  for (Index l = 0; l < counts.cols(); ++l) {
    floor += plain.p(l) * entropy(plain.target.col(l));
    top1_floor += plain.p(l) * (1 - plain.shares.col(l).maxCoeff());
    top1 += plain.p(l) * (1 - top_share(logits.col(l), plain.shares.col(l)));
    loss -= plain.p(l) * plain.target.col(l).dot(p_hat.col(l).array().log().matrix());
  }
  CHECK(run.answers->loss_floor == Approx(floor).epsilon(1e-14));
  CHECK(run.answers->top1_floor == Approx(top1_floor).epsilon(1e-14));
  CHECK(last("top1_error", 1)[0] == Approx(top1).epsilon(1e-14));
  CHECK(last("loss", 1)[0] == Approx(loss).epsilon(1e-13));

  // Queries: likeliest first, equals in the order of the table.
  const auto class_loss = last("class_loss", queries.size()), class_error = last("error", queries.size());
  REQUIRE(run.class_probability.size() == queries.size());
  for (std::size_t row = 0; row < queries.size(); ++row) {
    const Index l = queries[row];
    const double own = -plain.target.col(l).dot(p_hat.col(l).array().log().matrix());
    CHECK(run.class_probability[row] == Approx(plain.p(l)).epsilon(1e-15));
    CHECK(class_loss[row] == Approx(own).epsilon(1e-13));
    CHECK(class_error[row] == Approx(error(l)).epsilon(1e-13));
    Index first = 0;
    plain.right.col(l).maxCoeff(&first);
    const auto alike = [&](Index k) { return counts.row(k) == counts.row(first); };
    const auto group = std::ranges::find_if(order, alike) - order.begin();
    CHECK(run.answers->class_answer[row] == static_cast<double>(group));
    CHECK(run.answers->class_fan_in[row] == run.answers->fan_in[group]);
  }
  // Answers: most frequent first.
  const auto answer_error = last("answer_error", order.size()),
             answer_loss = last("answer_loss", order.size());
  REQUIRE(run.answers->probability.size() == order.size());
  for (std::size_t g = 0; g < order.size(); ++g) {
    const Index k = order[g];
    const Vector shares = plain.shares.row(k).transpose(), target = plain.target.row(k).transpose();
    const Vector log_guess = p_hat.row(k).array().log().matrix().transpose();
    CHECK(run.answers->probability[g] == Approx(q(k)).epsilon(1e-14));
    CHECK(run.answers->fan_in[g] == static_cast<double>((shares.array() > 0).count()));
    CHECK(answer_error[g] == Approx(plain.p.cwiseProduct(shares).dot(error) / q(k)).epsilon(1e-13));
    CHECK(answer_loss[g] ==
          Approx(-plain.p.cwiseProduct(target).dot(log_guess) / plain.p.dot(target)).epsilon(1e-13));
  }
}

}  // namespace

TEST_CASE("error, loss and top-1 error of answers, and the floors, are those of a table written out") {
  for (const bool multiplicity : {false, true}) {
    for (const std::string engine : {"dense", "symmetric", "columns"}) {
      for (const double noise : {0.0, 0.3}) {
        for (const bool by_frequency : {false, true}) {
          if (by_frequency && (noise == 0 || engine == "columns")) continue;
          check_measures(multiplicity, engine, noise, by_frequency);
        }
      }
    }
  }
}
