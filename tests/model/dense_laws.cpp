// The dense memory holds any law of answers: compared with a softmax written out entry by entry.

#include <catch2/catch.hpp>

#include "model/dense_layout.hpp"
#include "reference/plain_law.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

namespace {

struct Law {
  Pairs pairs;
  double noise;
  bool by_frequency;
  ClassGroups groups = {};
  std::vector<Index> group = {};

  Law(Pairs p, double n, bool f) : pairs(std::move(p)), noise(n), by_frequency(f) {
    for (Index l = 0; l < pairs.queries(); ++l) group.push_back(l);
    groups = {std::vector<double>(group.size(), 1), pairs.probability};
  }
  Population population() const {
    return {.queries = groups,
            .label_noise = noise,
            .components = &none,
            .noise = by_frequency ? NoiseAnswers::frequency : NoiseAnswers::uniform,
            .pairs = &pairs,
            .query_group = &group};
  }
  Components none = {{ComponentGroup{1, {static_cast<double>(pairs.answers)}, {}}}};
};

std::vector<Law> laws() {
  std::vector<Law> all;
  for (const double noise : {0.0, 0.3}) {
    for (const bool by_frequency : {false, true}) {
      all.emplace_back(reference::random_pairs(9, 5, 1, false, 1), noise, by_frequency);
      all.emplace_back(reference::random_pairs(5, 8, 3, false, 2), noise, by_frequency);
      all.emplace_back(reference::random_pairs(8, 6, 4, true, 3), noise, by_frequency);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("of any law of answers the dense memory computes what a softmax written out does") {
  for (const Law& law : laws()) {
    for (const bool embedded : {false, true}) {
      CAPTURE(law.noise, law.by_frequency, law.pairs.answers, embedded);
      const Index queries = law.pairs.queries(), answers = law.pairs.answers;
      const Matrix e = embedded ? random_matrix(4, queries, "queries") : Matrix::Identity(queries, queries),
                   f = embedded ? random_matrix(7, answers, "answers") : Matrix::Identity(answers, answers);
      const auto shared = [&](const Matrix& m) {
        return embedded ? std::make_shared<const Matrix>(m) : nullptr;
      };
      const DenseMemory memory(law.population(), shared(e), shared(f));
      for (const double size : {0.0, 1.0, 8.0}) {
        const DenseMatrix w{size * random_matrix(f.rows(), e.rows(), "w")};
        Gradient<DenseMatrix> gradient;
        Observation seen;
        memory.evaluate(w, &gradient, &seen, Workers::serial());

        const Matrix logits = f.transpose() * w.entries * e, p_hat = reference::softmax_of(logits),
                     target = reference::targets_of(law.pairs, law.noise, law.by_frequency),
                     shares = reference::shares_of(law.pairs), right = reference::right_of(law.pairs);
        const Vector p = reference::probability_of(law.pairs);
        const Matrix g = (p_hat - target) * p.asDiagonal();
        const double unit = std::ldexp(1.0, gradient.exponent);
        CHECK((unit * gradient.task.entries - g).cwiseAbs().maxCoeff() < 1e-15);
        CHECK((unit * gradient.ambient().entries - f * g * e.transpose()).cwiseAbs().maxCoeff() < 1e-14);
        const DenseMemory without_task(law.population(), shared(e), shared(f), {.keeps_task = false});
        Gradient<DenseMatrix> image;
        without_task.evaluate(w, &image, nullptr, Workers::serial());
        CHECK((std::ldexp(1.0, image.exponent) * image.ambient().entries - f * g * e.transpose())
                  .cwiseAbs()
                  .maxCoeff() < 1e-14);
        for (Index l = 0; l < queries; ++l) {
          const auto query = static_cast<std::size_t>(l);
          const Vector wrong = (1 - right.col(l).array()).matrix().cwiseProduct(p_hat.col(l));
          CHECK(seen.error[query] == Approx(wrong.sum()).epsilon(1e-12));
          const double rest = right.col(l).dot(p_hat.col(l));
          CHECK(seen.log_odds[query] == Approx(std::log(wrong.sum() / rest)).margin(1e-13));
          double excess = 0, best_right = -1e9, best_wrong = -1e9;
          for (Index k = 0; k < answers; ++k) {
            if (target(k, l) > 0) excess += target(k, l) * std::log(target(k, l) / p_hat(k, l));
            (right(k, l) > 0 ? best_right : best_wrong) =
                std::max(right(k, l) > 0 ? best_right : best_wrong, logits(k, l));
          }
          CHECK(seen.excess_loss[query] == Approx(excess).margin(1e-14));
          CHECK(seen.advantage[query] == Approx(best_right - best_wrong).margin(1e-14));
          const double top = logits.col(l).maxCoeff();
          double share = 0, tops = 0;
          for (Index k = 0; k < answers; ++k) {
            if (logits(k, l) < top - 1e-13) continue;
            share += shares(k, l);
            ++tops;
          }
          CHECK(seen.top_error[query] == Approx(1 - share / tops).margin(1e-14));
          for (std::size_t i = law.pairs.begin[query]; i < law.pairs.begin[query + 1]; ++i)
            CHECK(seen.log_answers[i] == Approx(std::log(p_hat(law.pairs.answer[i], l))).margin(1e-13));
        }
        if (law.noise > 0) {
          const Vector mean = p_hat.array().log().matrix() * p;
          for (Index k = 0; k < answers; ++k) CHECK(seen.mean_log[k] == Approx(mean(k)).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("errors of e^-1000 keep their digits whether a query has one right answer or several") {
  for (const int most : {1, 3}) {
    const Law law(reference::random_pairs(4, 6, most, false, 5), 0, false);
    const Matrix right = reference::right_of(law.pairs), shares = reference::shares_of(law.pairs);
    // Logits at which p̂ inside the right answers is as it should be, and all others are far below.
    Matrix w = Matrix::Zero(6, 4);
    for (Index l = 0; l < 4; ++l) {
      for (Index k = 0; k < 6; ++k)
        w(k, l) = right(k, l) > 0 ? std::log(shares(k, l)) : -1000 - 0.5 * static_cast<double>(k);
    }
    const DenseMemory memory(law.population(), nullptr, nullptr);
    Gradient<DenseMatrix> gradient;
    Observation seen;
    memory.evaluate({w}, &gradient, &seen, Workers::serial());
    for (Index l = 0; l < 4; ++l) {
      double ratio = 0;  // of the error to e^-1000
      for (Index k = 0; k < 6; ++k) ratio += (1 - right(k, l)) * std::exp(-0.5 * static_cast<double>(k));
      CHECK(seen.log_odds[l] == Approx(-1000 + std::log(ratio)).epsilon(1e-14));
      if (most > 1) continue;  // shares are only nearly met, to the digits of ln π
      for (Index k = 0; k < 6; ++k) {
        if (right(k, l) > 0) continue;
        const double log_entry = std::log(law.pairs.probability[l]) - 1000 - 0.5 * static_cast<double>(k);
        CHECK(std::log(gradient.task.entries(k, l)) + gradient.exponent * std::log(2.0) ==
              Approx(log_entry).epsilon(1e-14));
      }
    }
    CHECK(gradient.task.entries.allFinite());
    for (Index l = 0; l < 4; ++l)
      CHECK(std::abs(gradient.task.entries.col(l).sum()) <=
            1e-15 * gradient.task.entries.col(l).cwiseAbs().maxCoeff());
  }
}
