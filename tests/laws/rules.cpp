#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "reference/random_matrix.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;
using reference::largest;

namespace {

Matrix orthogonal(Index n, const char* stream) {
  return array_of(embedding("orthogonal"), n, stream, 3);
}

/// A positive definite operator that turns with the coordinates, and its inverse; columns have weights, as classes do.
Hessian<DenseMatrix> made_up_hessian(const Matrix& left, const Matrix& right, const Vector& weights) {
  const Matrix factor =
      reference::random_matrix(6, 6, "laws", 39).array().exp().matrix() * weights.asDiagonal();
  return {[=](const DenseMatrix& x) {
            const Matrix task = factor.array() * (left.transpose() * x.entries * right).array();
            return DenseMatrix{left * task * right.transpose()};
          },
          0,
          [=](const DenseMatrix& x, double damping) {
            const Matrix task = (left.transpose() * x.entries * right).array() / (factor.array() + damping);
            return DenseMatrix{left * task * right.transpose()};
          }};
}

/// Directions of three successive gradients Q̃ G diag(weights) Qᵀ, for rules with memory.
std::vector<Matrix> directions(const OptimizerRow& row, const ParameterValues& parameters, const Matrix& left,
                               const Matrix& right, double factor = 1, int exponent = 0,
                               const Vector& weights = Vector::Ones(6)) {
  const auto rule = row.make<DenseMatrix>(parameters);
  const auto to_ambient = [&](const DenseMatrix& x) {
    return DenseMatrix{left * x.entries * right.transpose()};
  };
  const Hessian<DenseMatrix> hessian = made_up_hessian(left, right, weights);
  const RuleContext<DenseMatrix> context{
      .to_ambient = to_ambient, .workers = Workers::serial(), .hessian = &hessian};
  std::vector<Matrix> all;
  for (std::uint64_t step = 0; step < 3; ++step) {
    Gradient<DenseMatrix> gradient;
    gradient.task.entries = factor * std::ldexp(1.0, -exponent) *
                            reference::random_matrix(6, 6, "laws", 40 + step) * weights.asDiagonal();
    gradient.image = to_ambient(gradient.task);
    gradient.exponent = exponent;
    const Direction<DenseMatrix> d = rule->direction(gradient, context);
    all.push_back(std::ldexp(d.scale, d.exponent) * d.matrix->entries);
  }
  return all;
}

template <class Body>
void for_every_variant(Body body) {
  for (const OptimizerRow& row : complete_rules()) {
    for (const ParameterValues& parameters : variants(row)) body(row, parameters);
  }
}

}  // namespace

TEST_CASE("rules turn with the answers and with the queries exactly where they say so") {
  const Matrix one = Matrix::Identity(6, 6);
  for_every_variant([&](const OptimizerRow& row, const ParameterValues& parameters) {
    const auto check = [&](const Matrix& left, const Matrix& right, bool declared) {
      const auto plain = directions(row, parameters, one, one),
                 rotated = directions(row, parameters, left, right);
      double off = 0;
      for (std::size_t t = 0; t < plain.size(); ++t)
        off = std::max(off, largest(left * plain[t] * right.transpose() - rotated[t]));
      CAPTURE(row.name, off);
      CHECK((off < 1e-13) == declared);
      CHECK((off < 1e-13 || off > 1e-2));
    };
    const Symmetries symmetries = row.symmetries_of(parameters);
    check(orthogonal(6, "answer"), one, symmetries.answers_rotate);
    check(one, orthogonal(6, "query"), symmetries.queries_rotate);
  });
}

TEST_CASE("rules ignore the scale of the gradient exactly where they say so") {
  const Matrix one = Matrix::Identity(6, 6);
  for_every_variant([&](const OptimizerRow& row, const ParameterValues& parameters) {
    const auto plain = directions(row, parameters, one, one),
               scaled = directions(row, parameters, one, one, 1e-12);
    double off = 0;
    for (std::size_t t = 0; t < plain.size(); ++t) off = std::max(off, largest(plain[t] - scaled[t]));
    CAPTURE(row.name, off);
    // Small absolute numbers are the only reasons why not: Adam's ε, and Muon's λ or 1e-7 beside the norm.
    // Polar Express forgives it until singular values are below 1e-3 of their norm and 1e-7 together.
    CHECK((off < 1e-13) == row.symmetries_of(parameters).scale_invariant);
  });
}

TEST_CASE("rules move a rare class as far as a frequent one exactly where they say so") {
  const Matrix one = Matrix::Identity(6, 6);
  Vector weights = Vector::Ones(6);
  weights(5) = 1e-14;
  for_every_variant([&](const OptimizerRow& row, const ParameterValues& parameters) {
    double least = 1;
    for (const Matrix& d : directions(row, parameters, one, one, 1, 0, weights))
      least = std::min(least, largest(d.col(5)) / largest(d));
    CAPTURE(row.name, least);
    CHECK((least > 0.05) == row.symmetries_of(parameters).amplifies_small_entries);
    CHECK((least > 0.05 || least < 1e-4));
  });
}

TEST_CASE("the unit in which a gradient is kept changes no direction") {
  const Matrix one = Matrix::Identity(6, 6);
  for_every_variant([&](const OptimizerRow& row, const ParameterValues& parameters) {
    const auto plain = directions(row, parameters, one, one);
    for (const int exponent : {-40, 7, 900}) {
      const auto kept = directions(row, parameters, one, one, 1, exponent);
      CAPTURE(row.name, exponent);
      for (std::size_t t = 0; t < plain.size(); ++t)
        CHECK(largest(plain[t] - kept[t]) <= 1e-14 * largest(plain[t]));
    }
  });
}

TEST_CASE("a zero gradient is a fixed point of every rule without memory of another") {
  for_every_variant([&](const OptimizerRow& row, const ParameterValues& parameters) {
    const auto rule = row.make<DenseMatrix>(parameters);
    const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
    Gradient<DenseMatrix> gradient;
    gradient.task.entries = Matrix::Zero(5, 5);
    const Direction<DenseMatrix> d = rule->direction(gradient, context);
    CAPTURE(row.name);
    CHECK(largest(std::ldexp(d.scale, d.exponent) * d.matrix->entries) == 0);
  });
}

TEST_CASE("every row names its formula and has unique, documented parameters") {
  for (const OptimizerRow& row : optimizer_catalogue()) {
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.formula.empty());
    for (const Parameter& parameter : row.parameters) CHECK_FALSE(parameter.meaning.empty());
  }
}
