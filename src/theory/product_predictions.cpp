/// W = U V from an aligned start, U = Ẽ ε I and V = ε I Eᵀ: margins, or modes, are squares of a number u of both factors.

#include "theory/margin_recursion.hpp"
#include "theory/modes.hpp"
#include "theory/sharpness.hpp"

namespace rarefact {

namespace {

/// u and what is left of a - u².
template <class Real>
class Root {
 public:
  Root(const Real& u, const Real& optimum) : optimum_(optimum), u_(u) {}
  const Real& value() const { return u_; }
  PredictedMargin<Real> squared() const { return {Real(u_ * u_), Real(optimum_ - u_ * u_)}; }
  void move(const Real& by) { add_carried<Real>(u_, left_out_, by); }

 private:
  Real optimum_, u_, left_out_ = Real(0);
};

/// The same for motions that are odd in u. Both |u| and √a - |u| move, so each has its own digits where it is small.
template <class Real>
class OddRoot {
 public:
  OddRoot(const Real& u, const Real& optimum) : root_(sqrt_of(optimum)), u_(u), left_(root_ - u) { fold(); }
  const Real& value() const { return u_; }
  PredictedMargin<Real> squared() const { return {Real(u_ * u_), Real(left_ * (root_ + u_))}; }
  void move(const Real& by) {
    add_carried<Real>(u_, u_left_out_, by);
    add_carried<Real>(left_, left_out_, Real(-by));
    fold();
  }

 private:
  static Real sqrt_of(const Real& x) {
    using std::sqrt;
    return sqrt(x);
  }
  void fold() {
    if (!(u_ < 0)) return;
    u_ = -u_, u_left_out_ = -u_left_out_;
    left_ = root_ - u_, left_out_ = Real(0);
  }

  Real root_, u_, left_, u_left_out_ = Real(0), left_out_ = Real(0);
};

/// ε, with the rounding of the input.
template <class Real>
Real start_of(const PredictionInput& input) {
  return rounded<Real>(Real(*input.start), input.rounding);
}

/// u ← (1 - η_t λ) u + η_t move(g, u) of every number, given the a from which each has what is left.
template <class State, class Real, class Move>
MarginsOf<Real> squares_by_steps(const PredictionInput& input, std::span<const std::int64_t> steps,
                                 const std::vector<Real>& optima, Move move) {
  std::vector<State> u;
  for (const Real& a : optima) u.emplace_back(start_of<Real>(input), a);
  MarginsOf<Real> table;
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) {
      const Real eta = step_size_at<Real>(input, done), decay = input.schedule.decay;
      for (std::size_t g = 0; g < u.size(); ++g)
        u[g].move(Real(eta * (move(g, u[g]) - decay * u[g].value())));
    }
    for (const State& number : u) table.push_back(number.squared());
  }
  return table;
}

/// The same u for all classes.
template <class State, class Real, class Move>
MarginsOf<Real> equal_squares(const PredictionInput& input, std::span<const std::int64_t> steps, Move move) {
  const Real optimum = optimal_margin<Real>(class_total<Real>(input), Real(input.label_noise));
  MarginsOf<Real> table;
  for (const auto& margin : squares_by_steps<State, Real>(
           input, steps, {optimum}, [&](std::size_t, const State& u) { return move(u); }))
    table.insert(table.end(), input.class_probability.size(), margin);
  return table;
}

template <class Real>
MarginsOf<Real> factor_gd(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const Real total = class_total<Real>(input), noise(input.label_noise);
  const auto move = [&](const auto& u) {
    return Real(u.value() * u.squared().shortfall(total, noise) / (total - Real(1)));
  };
  return noise == 0 ? equal_squares<Root<Real>, Real>(input, steps, move)
                    : equal_squares<OddRoot<Real>, Real>(input, steps, move);
}

template <class Real>
MarginsOf<Real> factor_muon(const PredictionInput& input, std::span<const std::int64_t> steps) {
  if (!constant_steps(input))
    return equal_squares<Root<Real>, Real>(input, steps, [](const Root<Real>&) { return Real(1); });
  const Real optimum = optimal_margin<Real>(class_total<Real>(input), Real(0));  // infinite
  MarginsOf<Real> table;
  for (const std::int64_t step : steps) {
    const Real u = start_of<Real>(input) + step_size_at<Real>(input) * Real(static_cast<double>(step));
    table.insert(table.end(), input.class_probability.size(), {Real(u * u), optimum});
  }
  return table;
}

/// The same for every mode by move(h, a - u², u), and w = u².
template <class State, class Move>
Margins modes_by_steps(const PredictionInput& input, std::span<const std::int64_t> steps, Move move) {
  const SquareModes modes = modes_of(input);
  return squares_by_steps<State, double>(input, steps, modes.coefficient, [&](std::size_t g, const State& u) {
    return move(modes.curvature[g], u.squared().left, u.value());
  });
}

Margins factor_gd_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  return modes_by_steps<OddRoot<double>>(input, steps,
                                         [](double h, double left, double u) { return h * left * u; });
}

/// A mode rests where u² = a.
Margins factor_sign_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  return modes_by_steps<Root<double>>(input, steps, [](double, double left, double u) {
    const double slope = left * u;
    return slope > 0 ? 1.0 : slope < 0 ? -1.0 : 0.0;
  });
}

/// With b = ε² and q = e^(-2hat): w = a b/(b (1 - q) + a q), and a - w = a (a - b) q/(b (1 - q) + a q).
Margins factor_gd_flow(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const double b = std::pow(start_of<double>(input), 2), eta = step_size_at<double>(input);
  return at_modes(input, steps, [=](double h, double a, double n) {
    const double x = -2 * h * a * (eta * n), q = std::exp(x), below = a * q - b * std::expm1(x);
    return PredictedMargin<double>{a * b / below, a * (a - b) * q / below};
  });
}

/// u = ε + t until u² = a.
Margins factor_sign_flow(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const double start = start_of<double>(input), eta = step_size_at<double>(input);
  return at_modes(input, steps, [=](double, double a, double n) {
    const double root = std::sqrt(a), far = root - start, time = eta * n;
    if (time >= std::abs(far)) return PredictedMargin<double>{a, 0};
    const double u = far < 0 ? start - time : start + time, left = far < 0 ? far + time : far - time;
    return PredictedMargin<double>{u * u, left * (root + u)};
  });
}

Objection require_equal_classes(const PredictionInput& input) {
  if (input.class_probability.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(input.class_probability);
  if (least == most) return std::nullopt;
  return "classes differ in probability, and only equal ones stay in step";
}

PredictionRow product_row(const char* name, const char* summary, const char* formula, const char* validity) {
  PredictionRow row{{name, summary, formula}};
  row.validity = std::string("W = U V from an aligned start (inner = K); ") + validity;
  row.factors = 2;
  row.any_start = true;
  return row;
}

PredictionRow of_margins(PredictionRow row, std::vector<HypothesisTest> own) {
  row.source = "rarefact2026, docs/variants.md";
  row.any_steps = true;
  row.hypotheses = {require_few_moving_steps, require_population, require_own_answers, require_orthonormal};
  row.hypotheses.insert(row.hypotheses.end(), own.begin(), own.end());
  return row;
}

PredictionRow of_modes(PredictionRow row, std::vector<std::string> rules, MarginFunction<double> function,
                       bool any_steps) {
  row.source = "rhee2026; docs/variants.md";
  row.validity +=
      "; least squares of the population, orthonormal embeddings (signgd: identity), label noise 0, an aligned target";
  row.rules = std::move(rules);
  row.tolerated = plain_muon();
  row.any_steps = any_steps;
  if (any_steps)
    row.hypotheses = {require_few_steps};
  else
    row.variant = "flow";
  for (const HypothesisTest test : {require_modes, require_population, require_task_basis, require_noiseless})
    row.hypotheses.push_back(test);
  row.margins = {function};
  row.of_squares = true;
  return row;
}

}  // namespace

std::vector<PredictionRow> product_predictions() {
  PredictionRow descent = of_margins(
      product_row(
          "product-gd", "the margin of equally likely classes under gradient descent on two factors",
          "u <- (1 - η_t λ) u + η_t u (π₁ - p̂(u²))/(K-1), u = ε at the start, m = u²",
          "exact for rule gd and equally likely classes, population gradients, orthonormal embeddings, any "
          "uniform label noise, step sizes and decay; at most 1e6 steps"),
      {require_few_steps, require_equal_classes});
  descent.rules = {"gd"};
  descent.margins = {factor_gd<double>, factor_gd<Real50>};
  PredictionRow law = of_margins(
      product_row(
          "product-muon", "one margin for all classes under Muon on two factors: a square law",
          "u <- (1 - η_t λ) u + η_t, u = ε at the start, m = u²; constant steps without decay: m = (ε + ηt)²",
          "rule muon with the exact polar factor, momentum 0 and lr_scale none, population gradients, "
          "orthonormal embeddings, any step sizes and decoupled decay, label noise 0; exact for equally likely "
          "classes, else to O(1/K); withheld where the first update of W misses a margin by more than a fifth"),
      {require_noiseless, require_small_miss});
  law.rules = {"muon"};
  law.tolerated = plain_muon();
  law.margins = {factor_muon<double>, factor_muon<Real50>};
  const std::vector<std::string> signs = {"muon", "signgd"};
  return {
      std::move(descent),
      std::move(law),
      of_modes(product_row("product-mode-gd", "gradient descent on the factors of every mode",
                           "u <- (1 - η_t λ) u + η_t h (a - u²) u, w = u²",
                           "exact for rule gd, any step sizes and decay, at most 1e6 steps"),
               {"gd"}, factor_gd_modes, true),
      of_modes(product_row("product-mode-gd-flow", "gradient flow on the factors of every mode",
                           "w = a/(1 + (a/ε² - 1) e^(-2hat)), t = ηn",
                           "exact for infinitely small constant steps of gd"),
               {"gd"}, factor_gd_flow, false),
      of_modes(product_row(
                   "product-mode-sign", "the same speed for the factors of every mode",
                   "u <- (1 - η_t λ) u + η_t sign((a - u²) u), w = u²",
                   "exact for muon without momentum and signgd, any step sizes and decoupled decay, at most "
                   "1e6 steps; at u² = a rounding decides"),
               signs, factor_sign_modes, true),
      of_modes(
          product_row("product-mode-sign-flow", "the same speed for the factors of every mode",
                      "w = min(ε + ηn, √a)²", "exact for infinitely small constant steps of muon and signgd"),
          signs, factor_sign_flow, false),
  };
}

}  // namespace rarefact
