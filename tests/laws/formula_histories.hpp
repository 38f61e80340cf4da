#pragma once

/// Directions that a formula gives for made-up gradients, on any algebra, in any coordinates.

#include <functional>
#include <vector>

#include "algebra/algebra.hpp"
#include "optim/update_rule.hpp"

namespace laws {

using namespace rarefact;

/// Coordinates of W and what the queries are in them.
template <class M>
struct Coordinates {
  std::function<M(const M&)> to_ambient;
  SecondMoment<M> second_moment;
  WeightShape shape;
};

/// G = Ẽ T Eᵀ and C = E diag(p) Eᵀ.
inline Coordinates<DenseMatrix> coordinates(const Matrix& answers, const Matrix& queries,
                                            const Vector& probability) {
  return {[=](const DenseMatrix& x) { return DenseMatrix{answers * x.entries * queries.transpose()}; },
          {{queries * probability.cwiseSqrt().asDiagonal()}, 0},
          {static_cast<double>(answers.rows()), static_cast<double>(queries.rows())}};
}

template <class M>
struct History {
  std::vector<M> directions;
  std::vector<int> exponents;  ///< directions are in units of 2^exponent
  std::string failure;         ///< why there is no further one
};

/// Gradients `tasks` in units of 2^exponent one after the other; W is what the directions before come to, times -0.1.
template <class M>
History<M> history(UpdateRule<M>& rule, const std::vector<M>& tasks, const Coordinates<M>& in,
                   int exponent = 0) {
  History<M> result;
  M weights;
  bool begun = false;
  for (const M& task : tasks) {
    Gradient<M> gradient;
    gradient.task = task;
    if (in.to_ambient) gradient.image = in.to_ambient(task);
    gradient.exponent = exponent;
    if (!begun) {
      weights = gradient.ambient();
      combine(weights, 0, 0, weights);
      begun = true;
    }
    const auto to_ambient = [&](const M& x) { return in.to_ambient ? in.to_ambient(x) : x; };
    const RuleContext<M> context{.to_ambient = to_ambient,
                                 .workers = Workers::serial(),
                                 .shape = in.shape,
                                 .weights = &weights,
                                 .second_moment = [&] { return in.second_moment; }};
    const Direction<M> d = rule.direction(gradient, context);
    result.failure = d.failure;
    if (!d.failure.empty()) return result;
    M direction = *d.matrix;
    combine(direction, d.scale, 0, direction);
    result.directions.push_back(direction);
    result.exponents.push_back(d.exponent);
    combine(weights, 1, -0.1 * std::ldexp(1.0, d.exponent), direction);
  }
  return result;
}

}  // namespace laws
