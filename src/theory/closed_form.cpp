#include "theory/closed_form.hpp"

#include "core/bracketed_root.hpp"
#include "model/log_odds.hpp"
#include "theory/group_law.hpp"
#include "theory/margin_paths.hpp"
#include "theory/one_step.hpp"
#include "theory/recovery.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

/// A row from a function template of double or Real50.
template <class F>
ClosedForm form(CatalogueRow row, std::vector<std::string> arguments, F) {
  return {std::move(row), std::move(arguments), [](const double* x) { return F()(x); },
          [](const Real50* x) { return F()(x); }};
}

double fan_in_loss(double total, double s, double scaled_time) {
  require_legal(total <= max_classes, "expected at most 1e300 classes");
  const QuadratureRule ranks = panel_rule(total, usual_panel_order);
  double loss = 0, mass = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double weight = ranks.count[i] * std::pow(ranks.rank[i], -s);
    mass += weight;
    loss += weight * softplus(std::log(total - 1) - scaled_time * std::pow(ranks.rank[i], s / 2));
  }
  return loss / mass;
}

/// The smallest root c of c = F(c) = 2η (1-β₁)/(1-β₁e^c) √((1-β₂e^{2c})/(1-β₂)). F falls to 0 at ½ ln(1/β₂), but for
/// β₁ > β₂ it first rises, up to e^c = β₁/β₂, and for β₁ near √β₂ and small η there are three roots. Errors start to fall at
/// c = 2η, so a run ends at the smallest: Newton's method from 0 does not pass it while F is convex.
template <class Real>
Real adam_rate(const Real& step_size, const Real& beta1, const Real& beta2) {
  // 0.9 and 0.81 are on the border, though not as binary numbers.
  const double rounding = 4 * std::numeric_limits<double>::epsilon();
  using std::exp, std::expm1, std::log, std::sqrt;
  require_range(
      !(step_size <= 0 || beta1 < 0 || beta2 <= 0 || beta2 >= 1 || beta1 * beta1 >= beta2 * (1 - rounding)),
      "adam_rate needs eta > 0, 0 < beta2 < 1 and 0 <= beta1 < sqrt(beta2): otherwise margins grow without a rate");
  if (step_size != step_size || beta1 != beta1 || beta2 != beta2) return Real(NAN);
  const Real most = -log(beta2) / 2;
  const auto right = [&](const Real& c) {
    const Real left = -expm1(Real(2 * (c - most)));
    return Real(2 * step_size * (1 - beta1) / (1 - beta1 * exp(c)) *
                sqrt(Real(left > 0 ? left : Real(0)) / (1 - beta2)));
  };
  const auto lead = [&](const Real& c) { return Real(c - right(c)); };
  // Rounding decides the sign of `lead` at its root, perhaps differently where it is compiled again: the ends keep theirs.
  Real low(0), high = most, at_low(0), at_high = most;
  for (Real next(0); next < most;) {
    const Real ahead = lead(next), u = beta1 * exp(next), v = beta2 * exp(Real(2 * next));
    if (ahead >= 0) {
      high = next, at_high = ahead;
      break;
    }
    low = next, at_low = ahead;
    const Real slope = 1 - right(next) * (u / (1 - u) - v / (1 - v));
    if (!(slope > 0)) break;
    next -= ahead / slope;
    if (next - low <= low * std::numeric_limits<Real>::epsilon()) return next;
  }
  return bracketed_root(lead, low, high, at_low, at_high).first;
}

std::vector<ClosedForm> number_forms() {
  return {
      form({"error_of_margin", "error of a class of margin m whose K - 1 wrong logits are equal",
            "(K-1) e^-m / (1 + (K-1) e^-m)"},
           {"m", "K"},
           []<class Real>(const Real* x) {
             require_range(!(x[1] < 1), "error_of_margin needs K >= 1");
             return error_of_margin<Real>(x[0], x[1]);
           }),
      form({"optimal_margin", "the margin of least loss; infinite at α = 0",
            "ln(π₁ (K-1)/(1-π₁)), π₁ = 1 - α + α/K"},
           {"K", "alpha"},
           []<class Real>(const Real* x) {
             require_range(!(x[0] <= 1 || x[1] < 0 || x[1] > 1),
                           "optimal_margin needs K > 1 and 0 <= alpha <= 1");
             return optimal_margin<Real>(x[0], x[1]);
           }),
      form({"excess_loss_of_margin", "excess loss of a class of margin m", "KL(π || p̂)"}, {"m", "K", "alpha"},
           []<class Real>(const Real* x) {
             require_range(!(x[1] <= 1 || x[2] < 0 || x[2] > 1),
                           "excess_loss_of_margin needs K > 1 and 0 <= alpha <= 1");
             return excess_loss_of_margin<Real>(x[0], x[1], x[2]);
           }),
      form({"flow_margin", "margin of a class of probability p after time t of gradient flow from W = 0",
            "α = 0: c - W₀(e^c/(K-1)), c = (p K t + 1)/(K-1)"},
           {"p", "K", "alpha", "t"},
           []<class Real>(const Real* x) {
             require_range(!(x[0] < 0 || x[0] > 1 + 1e-9 || x[1] < 2 || x[2] < 0 || x[2] > 1 || x[3] < 0),
                           "flow_margin needs 0 <= p <= 1, K >= 2, 0 <= alpha <= 1 and t >= 0");
             return x[2] == 1 ? Real(0) : flow_margin<Real>(x[0], x[1], x[2], x[3]).value;
           }),
      form({"l2_margin", "the margin at which gradient descent with weight decay λ ends",
            "p (K/(K-1)) (π₁ - p̂(m)) = λ m; α = 0: m (e^m + K - 1) = p K/λ", "docs/closed-forms.md"},
           {"p", "K", "lambda", "alpha"},
           []<class Real>(const Real* x) {
             require_range(!(x[0] < 0 || x[0] > 1 + 1e-9 || x[1] < 2 || x[2] <= 0 || x[3] < 0 || x[3] >= 1),
                           "l2_margin needs 0 <= p <= 1, K >= 2, lambda > 0 and 0 <= alpha < 1");
             return l2_margin<Real>(x[0], x[1], x[2], x[3]);
           }),
      form({"sign_walk", "the walk m ← m + h sign(m* - m) from 0 after n steps",
            "h n for n <= ⌈m*/h⌉, then alternating between h ⌈m*/h⌉ and one step less; the negative for -m*"},
           {"h", "optimum", "n"},
           []<class Real>(const Real* x) {
             using std::ceil;
             if (x[0] != x[0] || x[1] != x[1] || x[2] != x[2]) return Real(NAN);
             require_range(!(x[0] <= 0 || x[2] < 0 || x[2] > 1e15 || ceil(x[2]) != x[2]),
                           "sign_walk needs h > 0 and a whole n, 0 <= n <= 1e15");
             return sign_walk<Real>(x[0], x[1], static_cast<std::int64_t>(x[2]));
           }),
      form({"rho_gd", "ϱ of one step of GD", "1/(1 + (K-1)^(1-r) (ε/(1-ε))^r)", "wang2025, Theorem 5.3"},
           {"K", "r", "eps"},
           []<class Real>(const Real* x) { return Real(rho_gd<Real>(x[0], x[1], x[2]).value); }),
      form({"adam_rate",
            "c of Adam's error ∝ e^(-ct), ε = α = 0, identity embeddings, 0 <= β₁ < √β₂; below ½ ln(1/β₂)",
            "c = 2η (1-β₁)/(1-β₁e^c) ((1-β₂e^(2c))/(1-β₂))^½", "rarefact2026, docs/closed-forms.md"},
           {"eta", "beta1", "beta2"},
           []<class Real>(const Real* x) { return adam_rate<Real>(x[0], x[1], x[2]); }),
      form(
          {"muon_deficit_correlated",
           "c of Muon's (1-ϱ)/ε - 1 = c ln(K(1-ε)/ε)/√K, K → ∞, two levels of p, a fraction f of the classes frequent, "
           "equicorrelated queries",
           "(1-ε) (ρ/((1-ρ) f (1-f)))^½", "rarefact2026, docs/closed-forms.md"},
          {"f", "rho", "eps"},
          []<class Real>(const Real* x) {
            using std::sqrt;
            require_range(!(x[0] <= 0 || x[0] >= 1 || x[1] < 0 || x[1] >= 1 || x[2] <= 0 || x[2] >= 1),
                          "muon_deficit_correlated needs 0 < f < 1, 0 <= rho < 1 and 0 < eps < 1");
            return Real((1 - x[2]) * sqrt(Real(x[1] / ((1 - x[1]) * x[0] * (1 - x[0])))));
          }),
      {{"fan_in_loss", "loss of equally likely queries of K answers, fan-ins ∝ k^-s, at τ = ηt/√r_1 of Muon",
        "Σ_k q_k softplus(ln(K-1) - τ k^(s/2)), q_k ∝ k^-s", "docs/variants.md"},
       {"K", "s", "tau"},
       [](const double* x) { return fan_in_loss(x[0], x[1], x[2]); }},
      {{"group_law",
        "excess loss of gradient flow on M groups of masses p̃_1 i^-s at u = p_1 t, label noise α > 0",
        "(p̃_1/s) u^-q ∫ v^(q-1) F(v) dv, u M^-s < v < u, q = 1 - 1/s", "li2026, Theorem 5.7"},
       {"s", "M", "mass", "u", "K", "alpha"},
       [](const double* x) { return group_excess_integral(x[0], x[1], x[2], x[3], x[4], x[5]); }},
      {{"group_law_begin",
        "u from which on local slopes of group_law and of its sum are within a tolerance of -q", "1 ≪ u"},
       {"s", "M", "K", "alpha", "tolerance"},
       [](const double* x) { return group_law_window(x[0], x[1], x[2], x[3], x[4]).low; }},
      {{"group_law_end", "u up to which local slopes of group_law are within a tolerance of -q", "u ≪ M^s"},
       {"s", "M", "K", "alpha", "tolerance"},
       [](const double* x) { return group_law_window(x[0], x[1], x[2], x[3], x[4]).high; }},
      {{"group_law_done",
        "number of groups at the optimum from which on local slopes ripple by at most a tolerance",
        "least N with (s-1)(2s-1)/(π s N) y/sinh y <= tolerance, y = 2π² N/(s m*)"},
       {"s", "M", "K", "alpha", "tolerance"},
       [](const double* x) { return group_law_window(x[0], x[1], x[2], x[3], x[4]).done; }},
      {{"flat_recovery",
        "tr msgn(s I + N/√m)/m of a signal of full rank and normal noise, in the limit of large m",
        "1 - 1/(4s²) for s >= 1"},
       {"s"},
       [](const double* x) { return flat_recovery(x[0]); }},
  };
}

/// The value; OutsideRange, which names the form and its range, for arguments outside of it.
template <class Value>
auto in_range(const std::string& name, const Value& value) {
  try {
    return value();
  } catch (const std::invalid_argument& error) {
    throw OutsideRange(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace

double ClosedForm::value(const double* numbers, bool precise) const {
  return in_range(name, [&] {
    if (!precise || of50 == nullptr) return of(numbers);
    const std::vector<Real50> exact(numbers, numbers + arguments.size());
    return static_cast<double>(of50(exact.data()));
  });
}

std::vector<double> ClosedForm::values(const FormClasses& classes, const double* numbers,
                                       bool precise) const {
  return in_range(name, [&] { return of_classes(classes, numbers, precise); });
}

const std::vector<ClosedForm>& closed_forms() {
  static const std::vector<ClosedForm> rows = [] {
    std::vector<ClosedForm> all = number_forms();
    for (const auto& more :
         {spike_forms(), sign_block_forms(), class_forms(), min_squares_forms(), zipf_forms()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return rows;
}

}  // namespace rarefact
