// Numbers of the quick grids that papers, theory or scripts of another kind give.

#include <cmath>
#include <cstring>

#include "verify/quick_evidence.hpp"

using namespace tampered;

namespace {

struct Known {
  const char *id, *finding;
  double value, margin;
  bool sharp = false;  ///< its sharp number is, not what was measured
};

/// All findings of the id.
const std::vector<Known> known_findings = {
    // D_22 - D_12 of the rotated blocks; the infimum over K of Muon's first step.
    {"wang2025/one-step-signgd-coupled", "exponent-in-k", -0.3557, 5e-5},
    {"wang2025/one-step-signgd-coupled", "exponent-in-epsilon", -0.6443, 5e-5},
    {"wang2025/one-step-muon", "constant", 0.63224382, 1e-8},
    // 8 (K-1)/K at most noise of the answers, 2/(α (1-α)) at little.
    {"li2026/gd-stability", "constant/α = 0.5, K = 1e+15", 8, 1e-3},
    {"li2026/gd-stability", "constant/α = 0.02, K = 1e+15", 2 / (0.02 * 0.98), 1e-2},
    {"li2026/gd-stability", "constant/α = 0.8, K = 1e+15", 2 / (0.8 * 0.2), 1e-3},
    // NumPy, d = 32 to 128, N = 16 d, 40 seeds of its own; margins of 8 seeds.
    {"kim2026/one-step-muon", "capacity/a = 1.5", 1.333, 0.1},
    {"kim2026/one-step-sgd", "capacity/a = 1.5", 0.442, 0.2},
    {"kim2026/one-step-newton", "over-muon/a = 1.5", 1.025, 0.05},
    {"kim2026/critical-batch", "growth/muon", 1 / 1.5, 0.1},
    {"li2026b/low-snr", "kept/λ/σ = 1, m = 256", 0.849, 0.02},
    {"li2026b/low-snr", "kept/λ/σ = 1.5, m = 256", 1.27, 0.03},
    {"li2026b/window-is-batch", "momentum/B(1+μ)/(1-μ) = 4864", 1.054, 0.02},
    {"li2026b/window-is-batch", "batch/B(1+μ)/(1-μ) = 4864", 1.082, 0.02},
    {"li2026b/window-is-batch", "momentum/B(1+μ)/(1-μ) = 9984", 1.06, 0.02},
    {"li2026b/window-is-batch", "batch/B(1+μ)/(1-μ) = 9984", 1.062, 0.02},
    {"li2026b/order", "after", 0.718, 0.01},
    {"formula/effective-exponent", "exponent/G", 1, 0.02},
    {"formula/effective-exponent", "exponent/polar(G)", 0, 0.02},
    {"wang2026/embeddings", "identity", 0.0648, 2e-4},
    {"wang2026/embeddings", "haar/power law", 5.26, 0.1},
    {"wang2026/embeddings", "haar/two levels", 2.83, 0.03},
    {"wang2026/matched-loss", "ratio/s = 1, loss 0.9 ln K", std::log(7.9), 0.2},
    {"wang2026/matched-loss", "ratio/s = 1, loss 0.15 ln K", std::log(0.29), 0.1},
    {"paquette2026/square-root", "slope", 0.561, 0.01},
    {"paquette2026/signsgd", "slope/signgd, random basis", 0.99, 0.01},
    {"paquette2026/signsgd", "slope/signgd, basis of the modes", 0.496, 0.01},
    {"rarefact2026/fan-in-speed", "exponent", -0.5, 1e-5},
    {"rarefact2026/rho-of-fan-in", "exponent/ν = 0.5", -0.5, 1e-3},
    {"rarefact2026/rho-of-fan-in", "exponent/ν = 0.25", -0.75, 1e-3},
    {"rarefact2026/loss-exponent", "run/s = 0.5, K = 160", -2.9183, 1e-4, true},
    {"rarefact2026/loss-exponent", "run/s = 0.75, K = 160", -1.8559, 1e-4, true},
    {"rarefact2026/late-lock", "constant/K = 16, ηt = 60", 0.238, 0.02},
    {"rarefact2026/late-lock", "constant/K = 32, ηt = 60", 0.359, 0.02},
    {"rarefact2026/late-lock", "constant/K = 64, ηt = 60", 0.426, 0.02},
    {"wang2026/quadratic", "average/T = 1000", 0.134, 5e-4},
    {"wang2026/quadratic", "average/T = 1.6e+04", 0.565, 2e-3},
    {"wang2026/quadratic", "long-average", 1.99, 0.02},
    {"formula/effective-exponent", "counter-example/G/norm(G)", 0.656, 0.01},
    {"rarefact2026/newton-margins", "alike", 0, 1e-12},
    {"paquette2026/isotropic", "drift/muon, in units of (B/d)^½", 0.759, 0.01},
    {"paquette2026/isotropic", "drift/signgd, in units of B^½", 0.75, 0.02},
    {"wang2025/one-step-signgd-coupled", "exponent-in-k", -0.3557, 5e-5, true},
    {"li2026b/spiked", "drawn/θ = 1, γ = 1/2", 0.67493, 1e-5, true},
    {"li2026b/rate", "drawn", -0.9675, 1e-4, true},
    {"barnfield2026/capacity", "share/d²/(n ln n) = 1", 0.205, 0.01},
    {"barnfield2026/capacity", "share/d²/(n ln n) = 2", 0.536, 0.02},
    {"barnfield2026/capacity", "share/d²/(n ln n) = 4", 0.877, 0.02},
    {"barnfield2026/capacity", "share/d²/(n ln n) = 8", 0.988, 0.01},
};

struct KnownCurve {
  const char* id;
  std::size_t curve, series, first;
  std::vector<double> y;
  double relative;
};

const std::vector<KnownCurve> known_curves = {
    // Without the all-ones direction; at K = 6, 12, 18 it is above the published bound.
    {"wang2025/singular-values", 1, 0, 0, {0.275051, 0.319611, 0.327685, 0.227895}, 3e-6},
    // K Σp³/Σp², Σ over k = 1 ... 1e6 written out.
    {"wang2026/imbalance", 0, 0, 0, {10.6315}, 1e-5},
    {"wang2026/imbalance", 0, 1, 0, {4546.02}, 1e-5},
    {"wang2026/imbalance", 0, 2, 0, {336127}, 1e-5},
    {"wang2026/imbalance", 0, 3, 0, {571428}, 1e-5},
    {"paquette2026/dynamics", 0, 0, 2, {0.0700}, 0.015},
    {"paquette2026/dynamics", 0, 1, 2, {0.07116}, 1e-3},
    {"paquette2026/dynamics", 0, 1, 4, {0.04457}, 1e-3},
    {"paquette2026/dynamics", 0, 1, 16, {0.03782}, 1e-3},
    // R of Muon over that of SignGD.
    {"paquette2026/phases", 0, 0, 0, {1.30, 1.75, 2.04, 1.49, 0.869}, 0.005},
    {"paquette2026/phases", 0, 1, 0, {1.17, 0.947, 0.639, 0.311, 0.0697}, 0.005},
    {"paquette2026/phases", 0, 2, 0, {2.63, 5.00, 7.80, 10.3, 6.71}, 0.005},
    {"paquette2026/phases", 0, 3, 0, {1.00, 0.557, 0.257, 0.102, 0.0354}, 0.005},
};

}  // namespace

TEST_CASE("findings of the quick grids are the numbers that theory or another program gives") {
  for (const Known& known : known_findings) {
    CAPTURE(known.id, known.finding);
    std::size_t found = 0;
    for (const Finding& one : quick_report(known.id).findings) {
      const std::size_t length = std::strlen(known.finding);
      if (one.id.substr(0, one.id.find_first_of("/,", length)) != known.finding) continue;
      ++found;
      CHECK((known.sharp ? *one.sharp : one.measured) == Approx(known.value).margin(known.margin).epsilon(0));
    }
    CHECK(found > 0);
  }
}

TEST_CASE("curves of the quick grids have their known values") {
  for (const KnownCurve& known : known_curves) {
    CAPTURE(known.id, known.series);
    const std::vector<double> y =
        values(quick_report(known.id).curves.at(known.curve).series.at(known.series).second);
    for (std::size_t i = 0; i < known.y.size(); ++i)
      CHECK(y.at(known.first + i) == Approx(known.y[i]).epsilon(known.relative));
  }
}
