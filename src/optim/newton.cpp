#include <fmt/format.h>

#include <cmath>

#include "optim/update_rule.hpp"

namespace rarefact::rules {

namespace {

/// Residual norms are ‖R‖² = ⟨R, (H₀ + λ)⁺ R⟩, relative to the gradient's.
constexpr double wanted_residual = 1e-12, accepted_residual = 1e-8;
/// A product with the Hessian costs three matrix products; a gradient two.
constexpr int max_products = 1000;

double inner(const Matrix& x, const Matrix& y) {
  return x.cwiseProduct(y).sum();
}

/// (H + λ) X = B by preconditioned conjugate gradients from X = 0, in units of 2^exponent.
class Solve {
 public:
  Solve(const Hessian<DenseMatrix>& hessian, double damping)
      : hessian_(hessian),
        damping_(damping),
        exponent_(damping > 0 ? std::max(hessian.exponent, std::ilogb(damping)) : hessian.exponent) {}

  int exponent() const { return exponent_; }
  int products() const { return products_; }
  /// The residual of X, recomputed from B.
  double residual() const { return residual_; }

  Matrix operator()(const Matrix& b) {
    Matrix x = Matrix::Zero(b.rows(), b.cols()), r = b;
    const double all = inner(b, preconditioned(b));
    // The recursive residual drifts from B - (H + λ)X, so the iteration restarts from the true residual while
    // this helps.
    for (double before = 1; products_ < max_products; before = residual_) {
      improve(x, r, all);
      r = b - applied(x);
      residual_ = std::sqrt(inner(r, preconditioned(r)) / all);
      if (!(residual_ > wanted_residual && residual_ < before / 2)) break;
    }
    return x;
  }

 private:
  Matrix preconditioned(const Matrix& r) const { return hessian_.solve_at_zero({r}, damping_).entries; }

  Matrix applied(const Matrix& x) {
    ++products_;
    Matrix y = hessian_.product({x}).entries;
    if (damping_ > 0)
      y = std::ldexp(1.0, hessian_.exponent - exponent_) * y + std::ldexp(damping_, -exponent_) * x;
    return y;
  }

  /// Adds the solution for the residual R to X.
  void improve(Matrix& x, Matrix r, double all) {
    Matrix z = preconditioned(r), p = z;
    // One product is reserved for the residual.
    for (double rho = inner(r, z); products_ + 1 < max_products;) {
      const Matrix q = applied(p);
      const double curvature = inner(p, q);
      if (!(curvature > 0)) return;
      x += (rho / curvature) * p;
      r -= (rho / curvature) * q;
      z = preconditioned(r);
      const double next = inner(r, z);
      if (!(next > wanted_residual * wanted_residual * all)) return;
      p = z + (next / rho) * p;
      rho = next;
    }
  }

  const Hessian<DenseMatrix>& hessian_;
  double damping_;
  int exponent_, products_ = 0;
  double residual_ = 1;
};

template <class M>
class Newton final : public UpdateRule<M> {
 public:
  explicit Newton(const ParameterValues& parameters) : damping_(parameters.number("damping")) {}

  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    const Hessian<M>* hessian = context.hessian;
    if (hessian && hessian->solve) {
      direction_ = hessian->solve(gradient.ambient(), std::ldexp(damping_, -hessian->exponent));
      return {&direction_, 1, gradient.exponent - hessian->exponent};
    }
    if constexpr (std::is_same_v<M, DenseMatrix>) return by_iterations(gradient, hessian);
    throw std::logic_error("Newton's method by iterations is for the dense algebra");
  }

 private:
  Direction<M> by_iterations(const Gradient<M>& gradient, const Hessian<M>* hessian) {
    const Matrix& g = gradient.ambient().entries;
    const double largest = g.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    if (!(largest > 0) || !std::isfinite(largest)) return {&gradient.ambient(), 1, gradient.exponent};
    if (!hessian) throw std::logic_error("newton needs the Hessian of the loss");
    // Squares of its entries must not overflow.
    const int unit = std::ilogb(largest);
    Solve solve(*hessian, damping_);
    direction_.entries = solve(std::ldexp(1.0, -unit) * g);
    Direction<M> result{&direction_, 1, gradient.exponent + unit - solve.exponent()};
    if (!(solve.residual() <= accepted_residual))
      result.failure = fmt::format(
          "the linear solve failed: relative residual {:.2g} after {} products with the Hessian, {:g} required; "
          "increase damping",
          solve.residual(), solve.products(), accepted_residual);
    return result;
  }

  double damping_;
  M direction_;
};

/// The factory for this algebra.
template <class M>
std::unique_ptr<UpdateRule<M>> newton_on(const ParameterValues& parameters) {
  return std::make_unique<Newton<M>>(parameters);
}

/// Without damping, steps are as large for rare classes as for frequent ones. keeps_wrong_ties is not declared: for
/// the softmax no other algebra has the Hessian.
Symmetries newton_symmetries(const ParameterValues& parameters) {
  return {.answers_rotate = true,
          .queries_rotate = true,
          .amplifies_small_entries = parameters.number("damping") == 0};
}

}  // namespace

OptimizerRow newton() {
  OptimizerRow row{
      {.name = "newton",
       .summary =
           "Damped Newton steps with the exact Hessian; for the softmax by conjugate gradients, on the dense engine",
       .formula =
           "D = (H + λI)⁻¹∇L, H the Hessian at W of the same loss as ∇L; λ = 0: the least-norm solution",
       .source = "kim2026, abstract",
       .parameters = {{.name = "damping",
                       .kind = Kind::number,
                       .meaning =
                           "λ, in units of the Hessian; 0: eigenvalues of its value at W = 0 that may be "
                           "rounding noise are omitted",
                       .default_value = 0.0,
                       .legal = {.low = 0},
                       .symbol = "λ"}}}};
  row.reads_hessian = true;
  row.symmetries = newton_symmetries;
  row.matrices = 1;
  row.factories = {newton_on<DenseMatrix>, newton_on<SymmetricMatrix<double>>,
                   newton_on<SymmetricMatrix<Real50>>, newton_on<ColumnMatrix>};
  return row;
}

}  // namespace rarefact::rules
