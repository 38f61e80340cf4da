#pragma once

#include <cmath>
#include <optional>

#include "optim/update_rule.hpp"

namespace rarefact {

/// A matrix a rule remembers, in units of 2^exponent like the gradients it is made of. Powers of two are
/// exact, so changing the unit changes no digit.
template <class M>
class Accumulator {
 public:
  bool empty() const { return !value_; }
  const M& value() const { return *value_; }
  int exponent() const { return exponent_; }

  /// Brings the memory to the unit of `gradient`, starting from zero at the first call; returns it for
  /// updating.
  M& in_units_of(const Gradient<M>& gradient) {
    using std::ldexp;
    if (!value_) {
      value_ = mapped(gradient.ambient(), [](const ScalarOf<M>&) { return ScalarOf<M>(0); });
    } else if (exponent_ != gradient.exponent) {
      combine(*value_, ldexp(ScalarOf<M>(1), exponent_ - gradient.exponent), 0, *value_);
    }
    exponent_ = gradient.exponent;
    return *value_;
  }

  void exchange(Archive& archive) { archive(value_, exponent_); }

 private:
  std::optional<M> value_;
  int exponent_ = 0;
};

/// B <- μ B + g ∇L, then B or, with Nesterov, g ∇L + μ B; all in units of the gradient. g = 1 makes B a sum
/// of gradients, g = 1-μ an average: the same direction, 1-μ times as long.
template <class M>
class HeavyBall {
 public:
  /// From heavy_ball_parameters().
  explicit HeavyBall(const ParameterValues& parameters)
      : momentum_(parameters.number("momentum")),
        gain_(parameters.text("momentum_kind") == "average" ? ScalarOf<M>(1 - momentum_) : ScalarOf<M>(1)),
        nesterov_(parameters.boolean("nesterov")) {}

  const M& operator()(const Gradient<M>& gradient) {
    if (momentum_ == 0) return gradient.ambient();
    M& buffer = buffer_.in_units_of(gradient);
    combine(buffer, momentum_, gain_, gradient.ambient());
    if (!nesterov_) return buffer;
    ahead_ = buffer;
    combine(ahead_, momentum_, gain_, gradient.ambient());
    return ahead_;
  }

  void exchange(Archive& archive) { archive(buffer_); }

 private:
  ScalarOf<M> momentum_, gain_;
  bool nesterov_;
  Accumulator<M> buffer_;
  M ahead_;
};

/// The catalogue parameters of a heavy ball.
inline std::vector<Parameter> heavy_ball_parameters(double default_momentum) {
  return {{.name = "momentum",
           .kind = Kind::number,
           .meaning = "μ: how much of the memory B of past gradients a step keeps; 0 keeps none",
           .default_value = default_momentum,
           .legal = {.low = 0, .high = 1, .high_open = true},
           .symbol = "μ"},
          {.name = "nesterov",
           .kind = Kind::boolean,
           .meaning = "look ahead: ∇L + μB instead of B; (1-μ)∇L + μB where B is an average",
           .default_value = false},
          {.name = "momentum_kind",
           .kind = Kind::text,
           .meaning = "sum: B ← μB + ∇L; average: B ← μB + (1-μ)∇L",
           .default_value = "sum",
           .choices = {"sum", "average"}}};
}

}  // namespace rarefact
