// Samples of laws of answers, and the gradients over them.

#include <catch2/catch.hpp>

#include "model/dense_layout.hpp"
#include "model/sampler.hpp"
#include "reference/plain_law.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

namespace {

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
