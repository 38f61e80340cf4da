#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"
#include "model/dense_layout.hpp"

using namespace rarefact;

namespace {

const ClassGroups groups = {{1, 2, 37}, {0.4, 0.2, 0.2 / 37}};
constexpr Index classes = 40;

Matrix gaussian(Index rows, Index columns, std::uint64_t step, double scale = 1) {
  Matrix x(rows, columns);
  RandomStream(5, "dense").fill_normal(step, {x.data(), static_cast<std::size_t>(x.size())});
  return scale * x;
}

std::shared_ptr<const Matrix> shared(Matrix x) {
  return std::make_shared<const Matrix>(std::move(x));
}

}  // namespace

TEST_CASE("a gradient keeps its digits where some columns' errors are below the smallest double") {
  // Right answers lead by 2 or by 800 to 810 nats: e^-800 is no double.
  const Index n = 6;
  Matrix w = Matrix::Zero(n, n);
  for (Index l = 0; l < n; ++l) w(l, l) = l < 3 ? 800 : 2;
  const ClassGroups equal = {{6}, {1.0 / 6}};
  const auto e = shared(Matrix::Identity(n, n));
  for (const Index lagging : {Index{0}, Index{3}}) {
    Matrix weights = w;
    if (lagging == 0) weights.diagonal().setLinSpaced(800, 810);
    const DenseMemory plain({equal, 0}, nullptr, nullptr), embedded({equal, 0}, e, e);
    Gradient<DenseMatrix> expected, gradient;
    plain.evaluate({weights}, &expected, nullptr, Workers::serial());
    embedded.evaluate({weights}, &gradient, nullptr, Workers::serial());
    CHECK(gradient.exponent == expected.exponent);
    CHECK(gradient.ambient().entries == expected.ambient().entries);
    // The right answers' entries: -p (1 - p̂), with K - 1 = 5 wrong answers.
    for (Index l = lagging; l < n; ++l) {
      const double margin = weights(l, l), logarithm = std::log(-expected.task.entries(l, l)) +
                                                       expected.exponent * std::log(2.0) + std::log(6.0);
      CHECK(logarithm == Approx(std::log(5.0) - margin - std::log1p(5 * std::exp(-margin))).epsilon(1e-14));
    }
  }
}

TEST_CASE("the deviation from a multiple of the identity is that of all logits, for any embeddings") {
  // More classes than a tile has columns.
  const Index n = 300;
  const ClassGroups equal = {{n}, {1.0 / n}};
  const auto narrow = shared(gaussian(7, n, 20)), square = shared(gaussian(n, n, 21, 0.1));
  const Workers workers(2);
  for (const auto& query : {narrow, square, std::shared_ptr<const Matrix>()}) {
    for (const auto& answer : {narrow, square, std::shared_ptr<const Matrix>()}) {
      const DenseMemory memory({equal, 0}, query, answer);
      DenseMatrix w = memory.zero();
      CHECK(std::isnan(memory.identity_deviation(w, {}, workers)));
      w.entries = gaussian(w.entries.rows(), w.entries.cols(), 22);
      const Matrix logits = memory.logits(w).entries, identity = Matrix::Identity(n, n);
      const auto expected = [&](double scale) { return (logits / scale - identity).cwiseAbs().maxCoeff(); };
      CHECK(memory.identity_deviation(w, -0.3, workers) == Approx(expected(-0.3)).epsilon(1e-13));
      CHECK(memory.identity_deviation(w, {}, workers) == Approx(expected(logits.trace() / n)).epsilon(1e-11));
      // A right logit decides near the identity.
      if (!query && !answer) {
        w.entries = 3 * identity;
        w.entries(7, 7) = 3.25;
        CHECK(memory.identity_deviation(w, 3.0, workers) == Approx(0.25 / 3).epsilon(1e-15));
      }
      w.entries(1, 1) = std::nan("");
      CHECK(std::isnan(memory.identity_deviation(w, 1.0, workers)));
    }
  }
}

TEST_CASE("the hint's left null vector is one of every gradient") {
  const DenseMemory memory({groups, 0.1}, shared(gaussian(12, classes, 1)),
                           shared(gaussian(classes, classes, 2)));
  const PolarHint hint = memory.polar_hint();
  REQUIRE(hint.left_null);
  CHECK(hint.mixed_columns);
  Gradient<DenseMatrix> gradient;
  memory.evaluate({gaussian(classes, 12, 4)}, &gradient, nullptr, Workers::serial());
  const Matrix& g = gradient.ambient().entries;
  // Embeddings of this size have conditions of about a hundred.
  CHECK((hint.left_null->transpose() * g).norm() < 1e-13 * g.norm());
  CHECK_FALSE(DenseMemory({groups, 0}, nullptr, nullptr).polar_hint().mixed_columns);
  CHECK_FALSE(DenseMemory({groups, 0}, nullptr, shared(gaussian(9, classes, 2))).polar_hint().left_null);
}
