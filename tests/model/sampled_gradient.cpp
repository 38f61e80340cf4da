#include <catch2/catch.hpp>
#include <cmath>

#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/sampler.hpp"
#include "reference/expand.hpp"
#include "reference/plain_law.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

namespace {

/// 3 classes of one probability and 5 and 4 of two others.
const ClassGroups three_groups = {{3, 5, 4}, {0.2, 0.06, 0.025}};
constexpr Index classes = 12;

Matrix in_doubles(const Gradient<DenseMatrix>& gradient) {
  return std::ldexp(1.0, gradient.exponent) * gradient.ambient().entries;
}

ColumnMatrix random_columns(double size) {
  ColumnMatrix w(square_columns(std::vector<double>(classes, 1)));
  w.right = size * random_matrix(classes, 1, "own");
  w.wrong = random_matrix(classes, 1, "other");
  return w;
}

/// A sample that has every pair at its probability: no draw is missing, none is left to chance.
Sample every_pair(double label_noise) {
  Sample sample;
  for (Index l = 0, group = 0, left = 3; l < classes; ++l, --left) {
    if (left == 0) left = static_cast<Index>(three_groups.count[++group]);
    const double p = three_groups.probability[group];
    sample.query.push_back(l);
    sample.weight.push_back(p);
    sample.begin.push_back(sample.answer.size());
    for (Index k = 0; k < classes; ++k) {
      const double pi = (k == l ? 1 - label_noise : 0) + label_noise / static_cast<double>(classes);
      if (pi == 0) continue;
      sample.answer.push_back(k);
      sample.answer_weight.push_back(p * pi);
    }
  }
  sample.begin.push_back(sample.answer.size());
  return sample;
}

struct Law {
  Pairs pairs = reference::random_pairs(6, 5, 3, true, 11);
  ClassGroups groups = {std::vector<double>(6, 1), pairs.probability};
  std::vector<Index> group = {0, 1, 2, 3, 4, 5};
  Components components = {{ComponentGroup{1, {5}, {}}}};
  Population population(double noise, NoiseAnswers answers) const {
    return {groups, noise, &components, answers, {}, nullptr, &pairs, &group};
  }
};

}  // namespace

TEST_CASE("a sample that has every pair at its probability has the gradient of the population") {
  // Up to margins of 2000, where errors of e^-2000 need the exponent of the gradient; entries 1e300 times
  // smaller than the largest are beyond it.
  for (const double size : {1.0, 30.0, 1000.0}) {
    ColumnMatrix w = random_columns(size);
    w.right = size + w.right.cwiseAbs().array();
    const ColumnMemory memory = ColumnMemory::of_classes({three_groups});
    Gradient<ColumnMatrix> population, sampled;
    memory.evaluate(w, &population, nullptr, Workers::serial());
    memory.sampled_gradient(w, every_pair(0), sampled, Workers::serial());
    const double unit = std::ldexp(1.0, sampled.exponent - population.exponent);
    for (Index l = 0; l < classes; ++l) {
      CAPTURE(size, l);
      CHECK((population.exponent < -1000) == (size == 1000));
      REQUIRE(population.task.right(0) != 0);
      CHECK(unit * sampled.task.right(l) == Approx(population.task.right(l)).epsilon(1e-13).margin(1e-300));
      CHECK(unit * sampled.task.wrong(l) == Approx(population.task.wrong(l)).epsilon(1e-13).margin(1e-300));
    }
  }
  for (const double noise : {0.0, 0.3}) {
    const DenseMatrix w = {random_matrix(classes, classes, "w")};
    const DenseMemory memory({three_groups, noise}, nullptr, nullptr);
    Gradient<DenseMatrix> population, sampled;
    memory.evaluate(w, &population, nullptr, Workers::serial());
    memory.sampled_gradient(w, every_pair(noise), sampled, Workers::serial());
    CHECK((in_doubles(sampled) - in_doubles(population)).norm() < 1e-14 * in_doubles(population).norm());
  }
}

TEST_CASE("pairs of a law are drawn as often as p π says") {
  const Law law;
  const double draws = 4e5;
  for (const double noise : {0.0, 0.4}) {
    for (const NoiseAnswers answers : {NoiseAnswers::uniform, NoiseAnswers::frequency}) {
      const Sampler sampler(law.population(noise, answers), RandomStream(1, "minibatch"));
      const Sample sample = sampler.sample(0, static_cast<std::int64_t>(draws), Workers::serial());
      Matrix found = Matrix::Zero(5, 6);
      for (std::size_t q = 0; q < sample.query.size(); ++q) {
        for (std::size_t i = sample.begin[q]; i < sample.begin[q + 1]; ++i)
          found(sample.answer[i], sample.query[q]) = sample.answer_weight[i];
      }
      const Matrix expected = reference::targets_of(law.pairs, noise, answers == NoiseAnswers::frequency) *
                              reference::probability_of(law.pairs).asDiagonal();
      for (Index i = 0; i < expected.size(); ++i) {
        const double p = expected.data()[i], deviation = std::sqrt(p * (1 - p) / draws);
        CAPTURE(noise, i, p);
        CHECK(std::abs(found.data()[i] - p) <= 5 * deviation);
      }
    }
  }
}

TEST_CASE("a sampled gradient of a law is the mean over its pairs") {
  const Law law;
  const Sampler sampler(law.population(0.2, NoiseAnswers::uniform), RandomStream(3, "minibatch"));
  const Sample sample = sampler.sample(0, 12, Workers::serial());
  for (const bool embedded : {false, true}) {
    const Matrix e = embedded ? random_matrix(4, 6, "e") : Matrix::Identity(6, 6),
                 f = embedded ? random_matrix(3, 5, "f") : Matrix::Identity(5, 5);
    const auto shared = [&](const Matrix& m) {
      return embedded ? std::make_shared<const Matrix>(m) : nullptr;
    };
    const DenseMemory memory(law.population(0.2, NoiseAnswers::uniform), shared(e), shared(f));
    const DenseMatrix w{random_matrix(f.rows(), e.rows(), "w")};
    const Matrix p_hat = reference::softmax_of(f.transpose() * w.entries * e);
    Matrix expected = Matrix::Zero(5, 6);
    for (std::size_t q = 0; q < sample.query.size(); ++q) {
      const Index l = sample.query[q];
      expected.col(l) = sample.weight[q] * p_hat.col(l);
      for (std::size_t i = sample.begin[q]; i < sample.begin[q + 1]; ++i)
        expected(sample.answer[i], l) -= sample.answer_weight[i];
    }
    Gradient<DenseMatrix> gradient;
    memory.sampled_gradient(w, sample, gradient, Workers::serial());
    const double component = std::ldexp(1.0, gradient.exponent);
    CHECK((component * gradient.ambient().entries - f * expected * e.transpose()).cwiseAbs().maxCoeff() <
          1e-14);
  }
}
