// Closed forms of least squares, mode by mode. Here `margins` are coefficients.

#include "core/compensated_sum.hpp"
#include "theory/modes.hpp"

namespace rarefact {

Objection require_modes(const PredictionInput& input) {
  if (input.squares->random_target()) return "the target has random directions, so modes interact";
  const bool alike = std::ranges::any_of(input.class_count, [](double n) { return n > 1; });
  if (input.squares->gaussian() && input.squares->exponent != 0 && alike)
    return "the target distinguishes classes that are stored as one";
  return std::nullopt;
}

namespace {

using Coefficients = Margins;
using Coefficient = PredictedMargin<double>;

Objection require_smoothing(const PredictionInput& input) {
  return unless(input.parameters.number("smoothing") != 0, "the polar factor is not smoothed");
}

/// A mode on its way from the start to a, given its way from 0 to the distance |a - start|.
Coefficient from_start(double start, double a, const Coefficient& way) {
  if (a < start) return {start - way.value, -way.left};
  return {start + way.value, way.left};
}

/// w(n) of every group at every step n, from a function of (h, d, n): the way from 0 to the distance d of the minimum.
template <class F>
Coefficients by_modes(const PredictionInput& input, std::span<const std::int64_t> steps, F w) {
  return at_modes(input, steps, [&, start = start_margin<double>(input)](double h, double a, double n) {
    return from_start(start, a, w(h, std::abs(a - start), n));
  });
}

/// a (1 - (1 - x)^n).
Coefficient geometric(double a, double x, double n) {
  const double log_left = n == 0 ? 0 : n * (x < 2 ? std::log1p(x < 1 ? -x : x - 2) : std::log(x - 1));
  const double left = std::exp(log_left);
  if (x < 1 || std::fmod(n, 2) == 0) return {-a * std::expm1(log_left), a * left};
  return {a * (1 + left), -a * left};
}

/// a (1 - e^-x).
Coefficient decayed(double a, double x) {
  return {-a * std::expm1(-x), a * std::exp(-x)};
}

/// Steps w ← w + η_t change(h, a - w, w), the same for every mode.
template <class F>
Coefficients step_by_step(const PredictionInput& input, std::span<const std::int64_t> steps, F change) {
  const SquareModes modes = modes_of(input);
  const double start = start_margin<double>(input);
  std::vector<double> w(modes.curvature.size(), start), left_out(w.size(), 0.0), left = modes.coefficient;
  for (double& distance : left) distance -= start;
  Coefficients table;
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) {
      const double eta = step_size_at<double>(input, done), decay = input.schedule.decay;
      for (std::size_t g = 0; g < w.size(); ++g) {
        const double speed = change(modes.curvature[g], left[g]), faded = decay * w[g];
        left[g] -= eta * (speed - faded);
        add_carried(w[g], left_out[g], eta * (speed - faded));
      }
    }
    for (std::size_t g = 0; g < w.size(); ++g) table.push_back({w[g], left[g]});
  }
  return table;
}

Coefficients gd_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  if (!constant_steps(input))
    return step_by_step(input, steps, [](double h, double left) { return h * left; });
  return by_modes(input, steps, [eta = step_size_at<double>(input)](double h, double a, double n) {
    return geometric(a, eta * h, n);
  });
}

Coefficients gd_flow_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  return by_modes(input, steps, [eta = step_size_at<double>(input)](double h, double a, double n) {
    return decayed(a, h * eta * n);
  });
}

Coefficients ngd_flow_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  SquareModes modes = modes_of(input);
  const double start = start_margin<double>(input);
  std::vector<double> times;
  for (const std::int64_t step : steps)
    times.push_back(step_size_at<double>(input) * static_cast<double>(step));
  Coefficients table;
  const std::vector<double> ends = modes.coefficient;
  for (double& distance : modes.coefficient) distance = std::abs(distance - start);
  for (const double tau : times_of_normalised_flow(modes, input.class_count, times)) {
    for (std::size_t g = 0; g < modes.curvature.size(); ++g)
      table.push_back(from_start(start, ends[g], decayed(modes.coefficient[g], modes.curvature[g] * tau)));
  }
  return table;
}

Coefficients newton_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  if (!constant_steps(input)) return step_by_step(input, steps, [](double, double left) { return left; });
  return by_modes(input, steps, [eta = step_size_at<double>(input)](double, double a, double n) {
    return geometric(a, eta, n);
  });
}

Coefficients sign_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  if (!constant_steps(input))
    return step_by_step(input, steps, [](double, double left) {
      return left > 0 ? 1.0 : left < 0 ? -1.0 : 0.0;
    });
  return by_modes(input, steps, [eta = step_size_at<double>(input)](double, double a, double n) {
    const double w = sign_walk(eta, a, static_cast<std::int64_t>(n));
    return Coefficient{w, a - w};
  });
}

Coefficients sign_flow_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  return by_modes(input, steps, [eta = step_size_at<double>(input)](double, double a, double n) {
    return Coefficient{std::min(eta * n, a), std::max(a - eta * n, 0.0)};
  });
}

Coefficients smoothed_flow_modes(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const double smoothing = input.parameters.number("smoothing");
  return by_modes(input, steps, [&](double h, double a, double n) {
    if (a == 0) return Coefficient{0, 0};
    const auto [fallen, left] = smoothed_residual(h, h * a, smoothing, step_size_at<double>(input) * n);
    return Coefficient{fallen / h, left / h};
  });
}

PredictionRow row_of(const char* name, const char* variant, const char* summary, const char* formula,
                     const char* validity, std::vector<std::string> rules,
                     MarginFunction<double> coefficients, bool any_steps = false) {
  PredictionRow row{{name, summary, formula, "vasudeva2025; docs/variants.md"}, variant};
  row.validity =
      std::string(validity) +
      "; W = 0 at the start, or aligned (a - ε replaces a, and ε is added); least squares of the population, orthonormal embeddings (signgd: identity), label noise 0, an aligned "
      "target, ";
  row.validity += any_steps ? "any step sizes and decoupled decay" : "constant step size";
  row.any_start = true;
  row.any_steps = any_steps;
  row.rules = std::move(rules);
  row.tolerated = plain_muon();
  row.tolerated.push_back({"damping", 0.0});  // of newton; gd, ngd and the signs have no parameters
  row.hypotheses = {require_few_moving_steps, require_own_answers, require_modes,
                    require_population,       require_task_basis,  require_noiseless};
  row.margins = {coefficients};
  row.of_squares = true;
  return row;
}

/// That of Muon with a smoothed polar factor.
PredictionRow smoothed() {
  PredictionRow row =
      row_of("mode-smoothed-flow", "flow", "muon with a smoothed polar factor on every mode",
             "dw/dt = g/(g² + λ²)^½, g = h(a - w), t = ηn: (g² + λ²)^½ - λ asinh(λ/g) decreases by h t",
             "exact for infinitely small steps of muon with smoothing λ > 0 and without momentum", {"muon"},
             smoothed_flow_modes);
  std::ranges::find(row.tolerated, "smoothing", &Tolerated::parameter)->neutral.reset();
  row.hypotheses.push_back(require_smoothing);
  return row;
}

}  // namespace

std::vector<PredictionRow> mode_predictions() {
  return {
      row_of("mode-gd", "", "gradient descent on every mode",
             "w = a (1 - (1 - ηh)^n); in general w <- (1 - η_t λ) w + η_t h (a - w)",
             "exact for rule gd, stable where η max h < 2", {"gd"}, gd_modes, true),
      row_of("mode-gd-flow", "flow", "gradient flow on every mode", "w = a (1 - e^(-h η n))",
             "exact for infinitely small steps of gd", {"gd"}, gd_flow_modes),
      row_of(
          "mode-ngd-flow", "flow", "gradient flow in the time of normalised gradients",
          "w = a (1 - e^(-hτ)), dτ/dt = 1/(Σ h²a²e^(-2hτ))^½, t = ηn",
          "exact for infinitely small steps of ngd, up to the error of a quadrature with 20 nodes per panel",
          {"ngd"}, ngd_flow_modes),
      row_of(
          "mode-sign", "", "the same speed for every mode, then a cycle of two steps",
          "w = ηn up to the first step beyond a, then alternating between the two points around a; in general w <- (1 - η_t λ) w + "
          "η_t sign(a - w)",
          "exact for muon without momentum, signgd and tra_signgd; if a/η is a whole number, rounding decides whether a mode "
          "stays at the minimum, so compare the larger of two steps",
          {"muon", "signgd", "tra_signgd"}, sign_modes, true),
      row_of("mode-sign-flow", "flow", "the same speed for every mode", "w = min(ηn, a)",
             "exact for infinitely small steps of muon without momentum, signgd and tra_signgd",
             {"muon", "signgd", "tra_signgd"}, sign_flow_modes),
      smoothed(),
      row_of("mode-newton", "", "Newton's method, the same for every mode",
             "w = a (1 - (1 - η)^n); in general w <- (1 - η_t λ) w + η_t (a - w)",
             "exact for rule newton without damping", {"newton"}, newton_modes, true)};
}

}  // namespace rarefact
