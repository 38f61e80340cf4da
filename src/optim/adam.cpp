#include <algorithm>
#include <cmath>

#include "optim/scaled.hpp"
#include "optim/update_rule.hpp"

namespace rarefact::rules {

namespace {

/// Stores the root r = √v of the second moment, so that gradients of 1e-200 do not vanish when squared.
template <class M>
class Adam final : public UpdateRule<M> {
  using Real = ScalarOf<M>;

 public:
  explicit Adam(const ParameterValues& parameters)
      : beta1_(parameters.number("beta1")),
        beta2_(parameters.number("beta2")),
        epsilon_(parameters.number("epsilon")) {}

  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>&) override {
    using std::abs, std::ilogb, std::ldexp, std::pow, std::sqrt;
    const M& now = gradient.ambient();
    if (step_ == 0) mean_ = root_ = zero_like(now, gradient.exponent);
    step_ += 1;
    combine(mean_, beta1_, Real(1 - beta1_), now, gradient.exponent);
    const auto [of_root, of_gradient] = in_one_unit(root_, now, gradient.exponent);
    const Real keep = sqrt(beta2_) * of_root, take = sqrt(Real(1 - beta2_)) * of_gradient;
    map_in_place(root_.x, now, [keep, take](const Real& r, const Real& g) {
      const Real a = keep * r, b = take * abs(g), largest = std::max(a, b);
      const Real ratio = std::min(a, b) / largest, root = largest * sqrt(Real(1 + ratio * ratio));
      return largest > 0 ? root : largest;  // a choice at the end, so compilers can vectorise
    });
    // In the unit of the larger summand of √v + ε: with β₂ = 0 the root may underflow.
    const int unit =
        epsilon_ > 0 ? std::max(root_.exponent, static_cast<int>(ilogb(epsilon_))) : root_.exponent;
    const Real mean_scale = ldexp(Real(1), mean_.exponent - unit) / (1 - pow(beta1_, step_));
    const Real root_scale = ldexp(Real(1 / sqrt(Real(1 - pow(beta2_, step_)))), root_.exponent - unit);
    const Real epsilon = ldexp(epsilon_, -unit);
    direction_ = mean_.x;
    if (epsilon > 0) {  // no division by zero, so compilers can vectorise
      map_in_place(direction_, root_.x, [=](const Real& m, const Real& r) {
        return Real(mean_scale * m / (root_scale * r + epsilon));
      });
      return {&direction_, 1, 0};
    }
    map_in_place(direction_, root_.x, [=](const Real& m, const Real& r) {
      return m == 0 && r == 0 ? Real(0) : Real(mean_scale * m / (root_scale * r));
    });
    return {&direction_, 1, 0};
  }
  void exchange(Archive& archive) override { archive(step_, mean_, root_); }

 private:
  Real beta1_, beta2_, epsilon_;
  Real step_ = 0;
  Scaled<M> mean_, root_;
  M direction_;
};

Parameter decay(const char* name, const char* symbol, const char* meaning, double value) {
  return {.name = name,
          .kind = Kind::number,
          .meaning = meaning,
          .default_value = value,
          .legal = {.low = 0, .high = 1, .high_open = true},
          .symbol = symbol};
}

/// Only ε depends on the scale, and only ε reduces the updates of small gradients.
Symmetries adam_symmetries(const ParameterValues& parameters) {
  const bool none = parameters.number("epsilon") == 0;
  return {.keeps_wrong_ties = true, .scale_invariant = none, .amplifies_small_entries = none};
}

}  // namespace

OptimizerRow adam() {
  OptimizerRow row = rule_row<Adam>(
      {.name = "adam",
       .summary = "Adam, bias-corrected, ε outside the root",
       .formula = "m ← β₁m + (1-β₁)∇L, v ← β₂v + (1-β₂)∇L², D = m̂/(√v̂ + ε), entrywise; 0/0 = 0",
       .source = "wang2025, section 5 (β₁ = β₂ = ε = 0 is signgd)",
       .parameters = {decay("beta1", "β₁", "β₁: decay of the first moment", 0.9),
                      decay("beta2", "β₂", "β₂: decay of the second moment", 0.999),
                      {.name = "epsilon",
                       .meaning = "ε, added to √v̂",
                       .default_value = 1e-8,
                       .legal = {.low = 0},
                       .symbol = "ε"}}},
      {.keeps_wrong_ties = true}, 3);
  row.symmetries_with = adam_symmetries;
  return row;
}

}  // namespace rarefact::rules
