#include <optional>

#include "optim/heavy_ball.hpp"
#include "optim/scaled.hpp"
#include "optim/update_rule.hpp"

namespace rarefact::rules {

namespace {

template <class M>
class Momentum final : public UpdateRule<M> {
  using Real = ScalarOf<M>;

 public:
  explicit Momentum(const ParameterValues& parameters)
      : momentum_(parameters.number("momentum")),
        gain_(parameters.text("momentum_kind") == "average" ? Real(1 - momentum_) : Real(1)),
        nesterov_(parameters.boolean("nesterov")) {}

  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>&) override {
    const M& now = gradient.ambient();
    if (momentum_ == 0) return {&now, 1, gradient.exponent};
    if (!ball_) ball_ = zero_like(now, gradient.exponent);
    combine(*ball_, momentum_, gain_, now, gradient.exponent);
    if (!nesterov_) return {&ball_->x, 1, ball_->exponent};
    ahead_ = *ball_;
    combine(ahead_, momentum_, gain_, now, gradient.exponent);
    return {&ahead_.x, 1, ahead_.exponent};
  }
  void exchange(Archive& archive) override { archive(ball_); }

 private:
  Real momentum_, gain_;
  bool nesterov_;
  std::optional<Scaled<M>> ball_;
  Scaled<M> ahead_;
};

}  // namespace

OptimizerRow momentum() {
  OptimizerRow row =
      rule_row<Momentum>({.name = "momentum",
                          .summary = "Gradient descent with heavy-ball or Nesterov momentum",
                          .formula = "B ← μB + ∇L; D = B, nesterov: ∇L + μB (average: (1-μ)∇L instead of ∇L)",
                          .source = "",
                          .parameters = heavy_ball_parameters(0.9)},
                         {.answers_rotate = true, .queries_rotate = true, .keeps_wrong_ties = true}, 1);
  row.margins = [](const ParameterValues& parameters) {
    const double mu = parameters.number("momentum");
    return MarginRecursion{.momentum = mu,
                           .gain = parameters.text("momentum_kind") == "average" ? 1 - mu : 1,
                           .nesterov = parameters.boolean("nesterov")};
  };
  return row;
}

}  // namespace rarefact::rules
