#include <catch2/catch.hpp>

#include "model/dense_layout.hpp"
#include "optim/update_rule.hpp"
#include "reference/decompositions.hpp"
#include "reference/hessian.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::random_matrix;

namespace {

using Shared = std::shared_ptr<const Matrix>;

ClassGroups power_law(Index classes) {
  ClassGroups groups;
  double total = 0;
  for (Index l = 1; l <= classes; ++l) total += std::pow(static_cast<double>(l), -1.2);
  for (Index l = 1; l <= classes; ++l) {
    groups.count.push_back(1);
    groups.probability.push_back(std::pow(static_cast<double>(l), -1.2) / total);
  }
  return groups;
}

/// D of the rule, and what it says of failures.
std::pair<Matrix, std::string> direction(const Gradient<DenseMatrix>& gradient,
                                         const Hessian<DenseMatrix>& hessian, double damping) {
  const auto rule = optimizer_row("newton").make<DenseMatrix>({{"damping", damping}});
  const RuleContext<DenseMatrix> context{.to_ambient = {}, .workers = Workers::serial(), .hessian = &hessian};
  const Direction<DenseMatrix> d = rule->direction(gradient, context);
  return {std::ldexp(d.scale, d.exponent) * d.matrix->entries, d.failure};
}

Matrix gaussian(Index rows, Index classes, std::uint64_t step) {
  return random_matrix(rows, classes, "newton", step) / std::sqrt(static_cast<double>(rows));
}

/// Largest relative distance of D from what a factorisation of the whole Hessian gives.
double distance(Index classes, Shared query, Shared answer, const Matrix& w, double noise, double damping) {
  const DenseMemory memory({power_law(classes), noise}, query, answer, {.keeps_task = false});
  Gradient<DenseMatrix> gradient;
  memory.evaluate({w}, &gradient, nullptr, Workers::serial());
  const DenseMatrix at{w};
  const auto [d, failure] = direction(gradient, memory.hessians(Workers::serial())(at, nullptr), damping);
  CHECK(failure == "");
  Vector p(classes);
  for (Index l = 0; l < classes; ++l) p(l) = memory.cells()[l].probability;
  const Matrix identity = Matrix::Identity(classes, classes), e = query ? *query : identity,
               a = answer ? *answer : identity;
  Matrix h = reference::hessian(w, e, a, p);
  h.diagonal().array() += damping;
  const Vector g = std::ldexp(1.0, gradient.exponent) * gradient.ambient().entries.reshaped();
  const Vector expected = reference::least_squares(h, g);
  return (d.reshaped() - expected).norm() / expected.norm();
}

}  // namespace

TEST_CASE(
    "newton's direction is that of a factorised Hessian, and where it has a null space that of least norm") {
  // Of fewer dimensions than classes; then of more, or none.
  const auto narrow = std::make_shared<const Matrix>(gaussian(7, 12, 1)),
             low = std::make_shared<const Matrix>(gaussian(5, 12, 2)),
             wide = std::make_shared<const Matrix>(gaussian(9, 6, 4)),
             tall = std::make_shared<const Matrix>(gaussian(8, 6, 5));
  struct Case {
    Index classes;
    Shared query, answer;
  };
  for (const auto& [classes, query, answer] : {Case{12, narrow, low},
                                               {6, wide, tall},
                                               {6, wide, nullptr},
                                               {6, nullptr, tall},
                                               {6, nullptr, nullptr}}) {
    const Matrix w =
        random_matrix(answer ? answer->rows() : classes, query ? query->rows() : classes, "newton", 6);
    for (const double scale : {0.0, 0.5, 2.0}) {
      for (const double noise : {0.0, 0.1}) {
        for (const double damping : {0.0, 1e-3, 1.0}) {
          CAPTURE(classes, w.rows(), w.cols(), scale, noise, damping);
          CHECK(distance(classes, query, answer, scale * w, noise, damping) < 1e-9);
        }
      }
    }
  }
}

TEST_CASE("newton with the gradient of a sample takes the Hessian of that sample") {
  const Index classes = 10;
  const Matrix query = gaussian(7, classes, 8), answer = gaussian(4, classes, 9);
  const DenseMemory memory({power_law(classes), 0.1}, std::make_shared<const Matrix>(query),
                           std::make_shared<const Matrix>(answer), {.keeps_task = false});
  const Sample sample = {.query = {0, 3, 9},
                         .weight = {0.5, 0.25, 0.25},
                         .begin = {0, 1, 2, 3},
                         .answer = {0, 5, 9},
                         .answer_weight = {0.5, 0.25, 0.25}};
  Vector weight = Vector::Zero(classes);
  for (std::size_t i = 0; i < 3; ++i) weight(sample.query[i]) = sample.weight[i];
  for (const double scale : {0.0, 1.0}) {
    const DenseMatrix w{scale * random_matrix(4, 7, "newton", 10)};
    Gradient<DenseMatrix> gradient;
    memory.sampled_gradient(w, sample, gradient, Workers::serial());
    const Matrix d = direction(gradient, memory.hessians(Workers::serial())(w, &sample), 0).first;
    // Three queries in seven dimensions: the solution of least norm.
    const Matrix h = reference::hessian(w.entries, query, answer, weight);
    const Vector g = std::ldexp(1.0, gradient.exponent) * gradient.ambient().entries.reshaped();
    const Vector expected = reference::least_squares(h, g);
    CAPTURE(scale);
    CHECK((d.reshaped() - expected).norm() < 1e-9 * expected.norm());
  }
}

TEST_CASE("one newton step from zero with identity embeddings takes every margin to K, whatever its class") {
  const Index classes = 9;
  const DenseMemory memory({power_law(classes), 0}, nullptr, nullptr);
  const DenseMatrix zero = memory.zero();
  Gradient<DenseMatrix> gradient;
  memory.evaluate(zero, &gradient, nullptr, Workers::serial());
  int products = 0;
  auto hessian = memory.hessians(Workers::serial())(zero, nullptr);
  hessian.product = [&, product = hessian.product](const DenseMatrix& x) {
    ++products;
    return product(x);
  };
  const Matrix d = direction(gradient, hessian, 0).first;
  const Matrix expected =
      Matrix::Ones(classes, classes) - static_cast<double>(classes) * Matrix::Identity(classes, classes);
  CHECK((d - expected).norm() < 1e-13 * expected.norm());
  CHECK(products == 2);  // the preconditioner is the inverse, and the residual is looked at once
}

TEST_CASE("a newton direction that the solve does not reach is no direction") {
  Gradient<DenseMatrix> gradient;
  gradient.task.entries = random_matrix(4, 5, "newton", 7);
  const auto same = [](const DenseMatrix& x, double) { return x; };
  const Hessian<DenseMatrix> flat{[](const DenseMatrix&x) { return DenseMatrix{0 * x.entries}; }, 0, same},
      down{[](const DenseMatrix&x) { return DenseMatrix{-x.entries}; }, 0, same},
      fine{[](const DenseMatrix&x) { return DenseMatrix{2 * x.entries}; }, 3, same};
  CHECK(direction(gradient, flat, 0).second.find("relative residual 1 after 2 products") !=
        std::string::npos);
  CHECK(direction(gradient, down, 0).second.find("the linear solve failed") != std::string::npos);
  const auto [d, failure] = direction(gradient, fine, 0);
  CHECK(failure == "");
  CHECK((d - gradient.task.entries / 16).norm() < 1e-15);
}

TEST_CASE("damping is in units of the Hessian, whatever unit that is kept in") {
  Gradient<DenseMatrix> gradient;
  gradient.task.entries = random_matrix(4, 5, "newton", 7);
  gradient.exponent = -1200;
  const auto same = [](const DenseMatrix& x, double) { return x; };
  const Hessian<DenseMatrix> tiny{[](const DenseMatrix& x) { return x; }, -1200, same};
  // Where the Hessian is far below λ, D = ∇L/λ; where λ is 0, the two small numbers make a usual one.
  CHECK((direction(gradient, tiny, 0).first - gradient.task.entries).norm() < 1e-15);
  gradient.exponent = -900;
  const Matrix damped = direction(gradient, tiny, 0.25).first;
  CHECK((std::ldexp(1.0, 900) * damped - 4 * gradient.task.entries).norm() < 1e-14);
}
