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

  /// The memory, for updating, and the gradient, both in units of 2^exponent().
  struct InOneUnit {
    M& memory;
    const M& gradient;
  };

  /// The unit is that of `gradient`; where it has fallen so far below the memory within one step that the memory would
  /// overflow, that of the memory. Starts from zero at the first call.
  InOneUnit in_one_unit(const Gradient<M>& gradient) {
    using std::ldexp;
    if (!value_) {
      value_ = mapped(gradient.ambient(), [](const ScalarOf<M>&) { return ScalarOf<M>(0); });
      exponent_ = gradient.exponent;
    }
    if (exponent_ > gradient.exponent) take_size_into_unit(gradient.exponent);
    const int beyond = exponent_ - gradient.exponent;
    if (beyond > most_beyond) {
      combine(scaled_.emplace(gradient.ambient()), ldexp(ScalarOf<M>(1), -beyond), 0, gradient.ambient());
      return {*value_, *scaled_};
    }
    if (beyond != 0) combine(*value_, ldexp(ScalarOf<M>(1), beyond), 0, *value_);
    exponent_ = gradient.exponent;
    return {*value_, gradient.ambient()};
  }

  void exchange(Archive& archive) { archive(value_, exponent_); }

 private:
  /// Powers of two; what is left of the range of doubles is for the entries.
  static constexpr int most_beyond = 900;

  /// Takes the size of the memory into its unit where in the smaller unit `other` it would overflow; where it is zero
  /// any unit will do.
  void take_size_into_unit(int other) {
    using std::ldexp;
    const double size = static_cast<double>(frobenius_norm(*value_));
    if (size == 0) exponent_ = other;
    if (!(size > 0) || !std::isfinite(size)) return;
    const int own = std::ilogb(size), beyond = exponent_ - other;
    if (beyond <= most_beyond && beyond + own <= most_beyond) return;
    combine(*value_, ldexp(ScalarOf<M>(1), -own), 0, *value_);
    exponent_ += own;
  }

  std::optional<M> value_, scaled_;
  int exponent_ = 0;
};

/// B <- μ B + g ∇L, then B or, with Nesterov, g ∇L + μ B; all in units of 2^exponent(). g = 1 makes B a sum
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
    exponent_ = gradient.exponent;
    if (momentum_ == 0) return gradient.ambient();
    const auto [buffer, now] = buffer_.in_one_unit(gradient);
    exponent_ = buffer_.exponent();
    combine(buffer, momentum_, gain_, now);
    if (!nesterov_) return buffer;
    ahead_ = buffer;
    combine(ahead_, momentum_, gain_, now);
    return ahead_;
  }
  /// Of the unit of what was returned last.
  int exponent() const { return exponent_; }

  void exchange(Archive& archive) { archive(buffer_); }

 private:
  ScalarOf<M> momentum_, gain_;
  bool nesterov_;
  Accumulator<M> buffer_;
  M ahead_;
  int exponent_ = 0;
};

/// A heavy ball of what is called `of` as a formula: its definitions, and what it shows.
struct HeavyBallDefinitions {
  ParameterValues values;
  std::string shown;
};
inline HeavyBallDefinitions heavy_ball_definitions(const ParameterValues& parameters, const std::string& of) {
  const std::string gain = (parameters.text("momentum_kind") == "average" ? "(1 - mu)*" : "") + of;
  return {{{"param.mu", parameters.number("momentum")}, {"state.B", "mu*B + " + gain}},
          parameters.boolean("nesterov") ? gain + " + mu*B" : "B"};
}

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
