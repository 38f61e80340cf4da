#include <algorithm>
#include <cmath>

#include "rarefact/optim/accumulator.hpp"

namespace rarefact::rules {

namespace {

/// The second moment is kept as its root r = √v, so that gradients of 1e-200 do not vanish when squared.
template <class M>
class Adam final : public UpdateRule<M> {
 public:
  explicit Adam(const ParameterValues& parameters)
      : beta1_(parameters.number("beta1")),
        beta2_(parameters.number("beta2")),
        epsilon_(parameters.number("epsilon")) {}

  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>&) override {
    ++step_;
    M& mean = mean_.in_units_of(gradient);
    combine(mean, beta1_, 1 - beta1_, gradient.ambient());
    const double keep = std::sqrt(beta2_), take = std::sqrt(1 - beta2_);
    M& root = root_.in_units_of(gradient);
    map_in_place(root, gradient.ambient(), [keep, take](double r, double g) {
      const double a = keep * r, b = take * std::abs(g), largest = std::max(a, b);
      if (!(largest > 0)) return largest;
      const double ratio = std::min(a, b) / largest;
      return largest * std::sqrt(1 + ratio * ratio);
    });
    const double mean_scale = 1 / (1 - std::pow(beta1_, step_));
    const double root_scale = 1 / std::sqrt(1 - std::pow(beta2_, step_));
    const double epsilon = std::ldexp(epsilon_, -gradient.exponent);
    direction_ = mean;
    map_in_place(direction_, root, [=](double m, double r) {
      const double below = root_scale * r + epsilon;
      return m == 0 && below == 0 ? 0.0 : mean_scale * m / below;
    });
    return {&direction_, 1, 0};
  }

 private:
  double beta1_, beta2_, epsilon_;
  double step_ = 0;
  Accumulator<M> mean_, root_;
  M direction_;
};

Parameter decay(const char* name, const char* meaning, double value) {
  return {.name = name,
          .kind = Kind::number,
          .meaning = meaning,
          .default_value = value,
          .legal = {.low = 0, .high = 1, .high_open = true}};
}

}  // namespace

OptimizerRow adam() {
  OptimizerRow row;
  row.name = "adam";
  row.summary = "Adam, bias-corrected, ε outside the root";
  row.formula = "m ← β₁m + (1-β₁)∇L, v ← β₂v + (1-β₂)∇L², D = m̂/(√v̂ + ε), entrywise; 0/0 = 0";
  row.source = "wang2025, section 5 (β₁ = β₂ = ε = 0 is signgd)";
  row.parameters = {decay("beta1", "β₁: decay of the first moment", 0.9),
                    decay("beta2", "β₂: decay of the second moment", 0.999),
                    {.name = "epsilon",
                     .kind = Kind::number,
                     .meaning = "ε, added to √v̂",
                     .default_value = 1e-8,
                     .legal = {.low = 0}}};
  row.symmetries = {.keeps_columns = true};
  return with_factories<Adam>(row);
}

}  // namespace rarefact::rules
