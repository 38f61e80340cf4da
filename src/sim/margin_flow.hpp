#pragma once

/// Many updates of one margin at once, while updates hardly change it.
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

#include <vector>

#include "optim/update_rule.hpp"

namespace rarefact {

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

}  // namespace rarefact
