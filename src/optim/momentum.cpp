#include "optim/accumulator.hpp"

namespace rarefact::rules {

namespace {

template <class M>
class Momentum final : public UpdateRule<M> {
 public:
  explicit Momentum(const ParameterValues& parameters) : heavy_ball_(parameters) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>&) override {
    const M& ball = heavy_ball_(gradient);
    return {&ball, 1, heavy_ball_.exponent()};
  }
  void exchange(Archive& archive) override { archive(heavy_ball_); }

 private:
  HeavyBall<M> heavy_ball_;
};

}  // namespace

OptimizerRow momentum() {
  OptimizerRow row =
      rule_row<Momentum>({.name = "momentum",
                          .summary = "Gradient descent with heavy-ball or Nesterov momentum",
                          .formula = "B ← μB + ∇L; D = B, nesterov: ∇L + μB (average: (1-μ)∇L instead of ∇L)",
                          .source = "",
                          .parameters = heavy_ball_parameters(0.9)},
                         {.answers_rotate = true, .queries_rotate = true, .keeps_columns = true});
  row.margins = [](const ParameterValues& parameters) {
    const double mu = parameters.number("momentum");
    return MarginRecursion{.momentum = mu,
                           .gain = parameters.text("momentum_kind") == "average" ? 1 - mu : 1,
                           .nesterov = parameters.boolean("nesterov")};
  };
  return row;
}

}  // namespace rarefact::rules
