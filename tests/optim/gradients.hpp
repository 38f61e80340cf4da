#pragma once

/// A short sequence of made-up gradients, and the directions a rule gives for them.

#include "core/random.hpp"
#include "optim/update_rule.hpp"
#include "reference/random_matrix.hpp"
#include "reference/with_defaults.hpp"

namespace gradients {

using namespace rarefact;
using reference::largest;

inline Matrix gradient(std::uint64_t step) {
  const RandomStream random(8, "gradients");
  Matrix g(4, 5);
  for (Index i = 0; i < g.size(); ++i) g.data()[i] = random.normal(step, static_cast<std::uint64_t>(i));
  g(1, 2) = 0;  // an entry that never moves
  return g;
}

/// Directions for gradient(0), gradient(1), ... with identity embeddings. Odd steps are kept in another unit,
/// as the memories do when errors become tiny: it must not show.
inline std::vector<Matrix> directions(const std::string& rule, ParameterValues given, std::uint64_t steps) {
  const OptimizerRow& row = optimizer_row(rule);
  const auto update = row.make<DenseMatrix>(with_defaults(row.parameters, std::move(given)));
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  std::vector<Matrix> all;
  for (std::uint64_t step = 0; step < steps; ++step) {
    Gradient<DenseMatrix> g;
    g.exponent = step % 2 == 1 ? -700 : 0;
    g.task.entries = std::ldexp(1.0, -g.exponent) * gradient(step);
    const Direction<DenseMatrix> d = update->direction(g, context);
    all.push_back(std::ldexp(d.scale, d.exponent) * d.matrix->entries);
  }
  return all;
}

}  // namespace gradients
