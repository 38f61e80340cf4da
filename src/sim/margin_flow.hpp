#pragma once

/// Many updates of margins at once, while updates hardly change them.

#include <algorithm>
#include <cmath>
#include <vector>

#include "optim/update_rule.hpp"
#include "sim/fast_forward.hpp"

namespace rarefact {

/// The number of terms after which the next is below the rounding of u, if u changes by this part of itself in an update.
/// Each difference doubles the rounding error.
inline int shift_terms(double change) {
  constexpr int most = 12;
  const double needed = std::log(1e-16) / std::log(std::clamp(change, 1e-16, 0.5));
  return std::clamp(static_cast<int>(std::ceil(needed)), 2, most);
}

/// The field whose flow over time 1 is an update: the logarithm of the shift, by Newton's forward differences,
///
///     v = Σ_k (-1)^k/(k+1) Δ^k u_0,        Δ^k the k-th difference of u_0, u_1 … along as many updates
///
/// The factors of u_0, u_1 … in the sum of `terms` terms: (-1)^j Σ_k C(k, j)/(k + 1), j <= k < terms.
inline std::vector<double> shift_logarithm(int terms) {
  std::vector<double> factors;
  for (int j = 0; j < terms; ++j) {
    double sum = 0, binomial = 1;  // C(k, j)
    for (int k = j; k < terms; ++k) {
      sum += binomial / (k + 1);
      binomial *= static_cast<double>(k + 1) / (k + 1 - j);
    }
    factors.push_back(j % 2 == 0 ? sum : -sum);
  }
  return factors;
}

/// The flow of one margin under gradient descent, with or without momentum.
///
/// In coordinates y = m - ln(K-1) the margin of a class moves by L(∂) y = c φ(y), φ = f - a, where f = 1/(1+e^y) is the
/// error, a = α(K-1)/K the error at the fixed point, c = η p K/(K-1), ∂ = d/dt, and the rule is a power series:
///
///     (e^z - 1)(1 - μe^-z) / (g (1 + ν - νe^-z)) = L(z) = ℓ₁ z + ℓ₂ z² + …      (ν = μ with Nesterov, else 0)
///
/// Its slow solution is a flow y' = v(y) = Σ_k c^k V_k(f), V_k polynomials (backward error analysis: Hairer,
/// Lubich, Wanner, Geometric Numerical Integration, IX). The time from one y to another, t = ∫ dy/v, the Abel
/// function of the map, is a sum of logarithms and a polynomial in f, so the margin after n updates is one
/// root for any n.
class MarginFlow {
 public:
  /// `order` >= 2: the order of the series.
  MarginFlow(const MarginRecursion& rule, double answers, double label_noise, int order);

  /// The coefficients for one margin.
  class Start {
   public:
    /// m after n ≥ 0 more updates. `near`: the starting value for the next call, with a larger n; 0 at first.
    double margin_after(double n, double& near) const;

   private:
    friend class MarginFlow;
    double margin_, speed_, noise_;     // m, c/ℓ₁, a
    double error_, right_, shortfall_;  // f, 1-f, f-a
    std::vector<double> correction_;    // c Δt beyond the leading order: a polynomial in f
    double logarithm_ = 0;              // plus this multiple of ln φ
  };
  /// `c` as above.
  Start from(double margin, double c) const;

  /// An upper bound of the slope of v between m and the fixed point; the series is in powers of this slope.
  double slope(double margin, double c) const;

 private:
  double log_wrong_, noise_, linear_, stretch_;   // ln(K-1), a, ℓ₁, 2ℓ₂/ℓ₁
  std::vector<std::vector<double>> corrections_;  // of c^k: the polynomial
  std::vector<double> logarithms_;                // of c^k
};

/// Many updates of single margins at once under gradient descent with decay.
/// An update of a margin is m ← m + c (f(m) - a) - κ m: f = 1/(1 + e^y), y = m - ln(K-1), its error, a = α(K-1)/K,
/// c = η p K/(K-1), κ = ηλ. With the distance δ to the fixed point m̂, where c (f̂ - a) = κ m̂, it is δ ← δ + u(δ),
///
///     u(δ) = -c f̂ (1-f̂) (e^δ - 1)/(f̂ + (1-f̂) e^δ) - κ δ,
///
/// without cancellation, however near. The field whose flow over time 1 is the update is the logarithm of the shift
/// (shift_logarithm), integrated by Runge-Kutta-Fehlberg of order 8, while u changes little from one update to the
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

/// Many updates of all margins at once when the norm of the gradient couples them (normalised gradient
/// descent).
/// An update is x ← x + u(x), u_l = η κ p_l f_l/√(κ Σ_l n_l p_l² f_l²), κ = K/(K-1), without label noise. The field whose
/// flow over time 1 is the update is the logarithm of the shift (shift_logarithm),
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
