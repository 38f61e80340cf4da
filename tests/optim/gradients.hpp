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

/// A rule with its memory and identity embeddings, gradient by gradient.
class Stepper {
 public:
  Stepper(const std::string& rule, ParameterValues given, WeightShape shape = {})
      : rule_(optimizer_row(rule).make<DenseMatrix>(
            with_defaults(optimizer_row(rule).parameters, std::move(given)))),
        context_{[](const DenseMatrix& x) { return x; }, Workers::serial(), shape} {}

  /// D of the gradient 2^exponent times these entries; its matrix lives until the next one.
  Direction<DenseMatrix> operator()(Matrix entries, int exponent = 0) {
    gradient_ = {};
    gradient_.task.entries = std::move(entries);
    gradient_.exponent = exponent;
    return rule_->direction(gradient_, context_);
  }

 private:
  std::unique_ptr<UpdateRule<DenseMatrix>> rule_;
  RuleContext<DenseMatrix> context_;
  Gradient<DenseMatrix> gradient_;
};

inline Matrix written_out(const Direction<DenseMatrix>& d) {
  return std::ldexp(d.scale, d.exponent) * d.matrix->entries;
}

/// Directions for gradient(0), gradient(1), ... Odd steps are kept in another unit, as the memories do when errors become
/// tiny: it must not show.
inline std::vector<Matrix> directions(const std::string& rule, ParameterValues given, std::uint64_t steps) {
  Stepper stepper(rule, std::move(given));
  std::vector<Matrix> all;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const int exponent = step % 2 == 1 ? -700 : 0;
    all.push_back(written_out(stepper(std::ldexp(1.0, -exponent) * gradient(step), exponent)));
  }
  return all;
}

}  // namespace gradients
