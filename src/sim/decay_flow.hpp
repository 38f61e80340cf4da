#pragma once

/// Many updates of single margins at once under gradient descent with decay.

#include "sim/fast_forward.hpp"

namespace rarefact {

/// An update of a margin is m ← m + c (f(m) - a) - κ m: f = 1/(1 + e^y), y = m - ln(K-1), its error, a = α(K-1)/K,
/// c = η p K/(K-1), κ = ηλ. With the distance δ to the fixed point m̂, where c (f̂ - a) = κ m̂, it is δ ← δ + u(δ),
///
///     u(δ) = -c f̂ (1-f̂) (e^δ - 1)/(f̂ + (1-f̂) e^δ) - κ δ,
///
/// without cancellation, however near. The field whose flow over time 1 is the update is the logarithm of the shift
/// (shift_logarithm.hpp), integrated by Runge-Kutta-Fehlberg of order 8, while u changes little from one update to the
/// next; otherwise updates are made singly.
class DecayFlow final : public MarginIntegrator {
 public:
  DecayFlow(const ColumnMemory& memory, const ForwardPlan& plan, const Step<double>& step,
            const Workers& workers);
  bool begin(const Vector& before, const Vector& now, const Vector& farthest, double updates) override;
  Vector after(double n) override;
  void exchange(Archive& archive) override;

 private:
  /// A margin on its way to its fixed point.
  struct Way {
    double speed, limit, error, right;  ///< c, m̂, f̂, 1 - f̂; c > 0
    double update(double distance, double shrink) const;
  };
  /// An upper bound of -du/dδ between δ and 0.
  double slope(const Way& way, double distance) const;
  /// Moves a distance by n updates; `stride`: the length to try first, and next time.
  void move(const Way& way, double n, double& distance, double& stride) const;
  /// v(δ).
  double flow(const Way& way, double distance, const std::vector<double>& weights) const;

  double shrink_, log_wrong_, max_change_, tolerance_;  // κ, ln(K-1)
  const Workers& workers_;
  std::vector<Way> ways_;
  Vector distance_, stride_;
  double time_ = 0;
};

}  // namespace rarefact
