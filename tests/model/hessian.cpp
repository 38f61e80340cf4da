#include "reference/hessian.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "model/dense_layout.hpp"
#include "model/gradient.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

namespace {

const ClassGroups groups = {{1, 2, 9}, {0.4, 0.15, 0.3 / 9}};
constexpr Index classes = 12, d_in = 7, d_out = 5;

/// Pairs (0, 0) twice, (3, 3), (3, 7), (11, 1): six draws, one of them of query 3 again.
const Sample sample = {.query = {0, 3, 11},
                       .weight = {2 / 6.0, 3 / 6.0, 1 / 6.0},
                       .begin = {0, 1, 3, 4},
                       .answer = {0, 3, 7, 1},
                       .answer_weight = {2 / 6.0, 1 / 6.0, 2 / 6.0, 1 / 6.0}};

struct ConfigNode {
  std::shared_ptr<const Matrix> query, answer;
  Matrix e = Matrix::Identity(classes, classes), a = e;

  ConfigNode(bool with_query, bool with_answer) {
    if (with_query) query = std::make_shared<const Matrix>(e = random_matrix(d_in, classes, "curvature", 1));
    if (with_answer)
      answer = std::make_shared<const Matrix>(a = random_matrix(d_out, classes, "curvature", 2));
  }
  Matrix weights(double scale) const { return scale * random_matrix(a.rows(), e.rows(), "curvature", 3); }
  Matrix change() const { return random_matrix(a.rows(), e.rows(), "curvature", 4); }
};

template <class Body>
void for_every_setting(Body body) {
  for (const bool with_query : {false, true}) {
    for (const bool with_answer : {false, true}) {
      CAPTURE(with_query, with_answer);
      body(ConfigNode(with_query, with_answer));
    }
  }
}

Matrix gradient_at(const DenseMemory& memory, const Matrix& w, const Sample* drawn) {
  Gradient<DenseMatrix> gradient;
  if (drawn) {
    memory.sampled_gradient({w}, *drawn, gradient, Workers::serial());
  } else {
    memory.evaluate({w}, &gradient, nullptr, Workers::serial());
  }
  return std::ldexp(1.0, gradient.exponent) * gradient.ambient().entries;
}

Matrix product(const DenseMemory& memory, const DenseMatrix& w, const Sample* drawn, const Matrix& x) {
  const Hessian<DenseMatrix> hessian = memory.hessians(Workers::serial())(w, drawn);
  return std::ldexp(1.0, hessian.exponent) * hessian.product({x}).entries;
}

}  // namespace

TEST_CASE("the Hessian is the derivative of the gradient: of the population, a sample, unrecovered facts") {
  for_every_setting([](const ConfigNode& setting) {
    for (const Sample* drawn : {static_cast<const Sample*>(nullptr), &sample}) {
      for (const bool removes : {false, true}) {
        for (const double scale : {0.0, 0.7}) {
          const DenseMemory memory({.queries = groups, .label_noise = 0.1, .removes_recovered = removes},
                                   setting.query, setting.answer, {.keeps_task = false});
          const Matrix w = setting.weights(scale), x = setting.change();
          // A fact that is recovered on one side of W = 0 alone is no matter of derivatives.
          if (removes && scale == 0) continue;
          const double h = 1e-5;
          const Matrix expected =
              (gradient_at(memory, w + h * x, drawn) - gradient_at(memory, w - h * x, drawn)) / (2 * h);
          CAPTURE(drawn != nullptr, removes, scale);
          CHECK((product(memory, {w}, drawn, x) - expected).norm() < 1e-8 * expected.norm());
        }
      }
    }
  });
}

TEST_CASE("the Hessian is that of its definition, and its inverse at W = 0 is one") {
  for_every_setting([](const ConfigNode& setting) {
    const DenseMemory memory({groups, 0.1}, setting.query, setting.answer, {.keeps_task = false});
    const Matrix x = setting.change();
    Vector p(classes);
    for (Index l = 0; l < classes; ++l) p(l) = memory.cells()[l].probability;
    const auto applied = [&](const Matrix& w, const Matrix& to) {
      return Matrix(
          (reference::hessian(w, setting.e, setting.a, p) * to.reshaped()).reshaped(to.rows(), to.cols()));
    };
    for (const double scale : {0.0, 0.7, 3.0}) {
      const Matrix w = setting.weights(scale), expected = applied(w, x);
      CAPTURE(scale);
      // Logits of up to 60 carry 60 ε into the plain exponentials.
      CHECK((product(memory, {w}, nullptr, x) - expected).norm() < 1e-12 * expected.norm());
    }
    const DenseMatrix zero = memory.zero();
    const auto at_zero = memory.hessians(Workers::serial())(zero, nullptr);
    for (const double damping : {0.0, 0.01}) {
      const Matrix image = applied(zero.entries, x) + damping * x;
      const Matrix solved = at_zero.solve_at_zero({image}, damping).entries;
      // Of X, without damping, what H₀ does not send to zero comes back, up to the one factor.
      Matrix wanted = x;
      if (damping == 0 && !setting.answer) wanted.rowwise() -= wanted.colwise().mean().eval();
      const double factor = solved.norm() / wanted.norm();
      CAPTURE(damping);
      CHECK((solved - factor * wanted).norm() < 1e-12 * solved.norm());
    }
  });
}

TEST_CASE("at W = 0 the Hessian of a sample does not depend on the sample before") {
  for_every_setting([](const ConfigNode& setting) {
    const DenseMemory memory({groups, 0.1}, setting.query, setting.answer, {.keeps_task = false});
    const DenseMatrix zero = memory.zero(), x{setting.change()};
    const auto kept = memory.hessians(Workers::serial());
    kept(zero, nullptr);
    const Matrix second = kept(zero, &sample).product(x).entries,
                 first = memory.hessians(Workers::serial())(zero, &sample).product(x).entries;
    CHECK(second == first);
  });
}

TEST_CASE("the Hessian keeps its digits where errors are below the smallest double") {
  const double margin = 800;
  const DenseMemory memory({{{6}, {1.0 / 6}}, 0}, nullptr, nullptr);
  const DenseMatrix w{margin * Matrix::Identity(6, 6)};
  const auto hessian = memory.hessians(Workers::serial())(w, nullptr);
  const Matrix image = hessian.product({Matrix::Identity(6, 6)}).entries;
  // p p̂ (1 - p̂), five wrong answers e^-800 each.
  const double logarithm = std::log(image(5, 5)) + hessian.exponent * std::log(2.0);
  CHECK(logarithm == Approx(std::log(5 / 6.0) - margin).epsilon(1e-14));
}
