#pragma once

/// Many updates of all margins at once when the norm of the gradient couples them (normalised gradient
/// descent).

#include "sim/fast_forward.hpp"

namespace rarefact {

/// An update is x ← x + u(x), u_l = η κ p_l f_l/√(κ Σ_l n_l p_l² f_l²), κ = K/(K-1), without label noise. The field whose
/// flow over time 1 is the update is the logarithm of the shift (shift_logarithm.hpp),
/// while u changes little from one update to the next; otherwise updates are made singly. It is integrated by
/// Runge-Kutta-Fehlberg of order 8. In the end all p_l f_l are equal, and all margins move by one stride.
class NormFlow final : public MarginIntegrator {
 public:
  NormFlow(const ColumnMemory& memory, const ForwardPlan& plan, double step_size);
  bool begin(const Vector& before, const Vector& now, const Vector& farthest, double updates) override;
  Vector after(double n) override;
  std::int64_t updates() const override { return updates_; }
  void exchange(Archive& archive) override;

 private:
  /// Aligned, because exponentials of unaligned leading entries would be rounded differently.
  using State = std::vector<double, Eigen::aligned_allocator<double>>;
  /// Writes p f of every cell to `out`; u is `out` times the returned factor.
  double pull(const State& x, State& out) const;
  /// u(x).
  void update(const State& x, State& u) const;
  /// v(x) with `terms` terms, summed update by update: Σ_j w_j u_j.
  void flow(const State& x, State& v, int terms) const;
  /// The largest relative change of u per update, and the largest v.
  struct Pace {
    double change = 0, fastest = 0;
  };
  Pace pace(const State& x) const;
  /// True if all margins move by the same stride.
  bool alike(const State& u) const;

  std::vector<double> probability_, count_;
  double log_wrong_, ratio_, step_size_;  // ln(K-1), κ, η
  double max_change_, max_moved_, tolerance_;
  State x_;
  std::vector<double> left_out_;  // rounding errors carried by sums
  double time_ = 0, stride_ = 0;
  double stride_for_ever_ = 0;  // of all margins; 0 before their strides are equal
  std::int64_t updates_ = 0;
};

}  // namespace rarefact
