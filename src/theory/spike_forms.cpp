/// Closed forms of spikes in noise and of power laws, and means over drawn spikes. In doubles only.

#include <mutex>
#include <tuple>

#include "algebra/dense_matrix.hpp"
#include "core/random.hpp"
#include "theory/closed_form.hpp"
#include "theory/recovery.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

constexpr double most_drawn = 1e9;  ///< multiplications

double drawn_multiplications(double rows, double columns, double draws) {
  return rows * columns * std::min(rows, columns) * draws;
}

/// The work of a mean over drawn spikes; 0 if it is refused.
double drawn_work(const double* x) {
  const double all = drawn_multiplications(x[0], x[1], x[5]);
  return all > 0 && all <= most_drawn ? all / 10 : 0;
}

/// The mean of uᵀ msgn(λ u vᵀ + σ N) v over `draws` pairs N and -N of Gaussian matrices, in which what N gives without a
/// spike cancels. u and v are the first unit vectors: the distribution of N is invariant under rotations.
double mean_recovery(Index rows, Index columns, double signal, double noise, double seed, double draws) {
  require_legal(rows >= 1 && columns >= 1 && draws >= 1 && seed >= 0, "expected at least one draw");
  require_legal(
      drawn_multiplications(static_cast<double>(rows), static_cast<double>(columns), draws) <= most_drawn,
      "expected at most 1e9 multiplications: rows, columns, the smaller of both, draws");
  const RandomStream stream(static_cast<std::uint64_t>(seed), "spiked");
  Matrix drawn(rows, columns);
  double sum = 0;
  for (std::uint64_t draw = 0; static_cast<double>(draw) < draws; ++draw) {
    stream.fill_normal(draw, {drawn.data(), static_cast<std::size_t>(drawn.size())});
    for (const double sign : {1.0, -1.0}) {
      DenseMatrix x{sign * noise * drawn};
      x.entries(0, 0) += signal;
      DensePolar polar;
      sum += polar(x, Workers::serial(), {.mixed_columns = true}).entries(0, 0);
    }
  }
  return sum / (2 * draws);
}

/// The same, cached after the first call.
double drawn_recovery(const double* x) {
  static std::mutex drawing;
  static std::map<std::tuple<double, double, double, double, double, double>, double> known;
  const std::lock_guard lock(drawing);
  const auto [place, fresh] = known.try_emplace({x[0], x[1], x[2], x[3], x[4], x[5]});
  if (fresh)
    place->second = mean_recovery(static_cast<Index>(x[0]), static_cast<Index>(x[1]), x[2], x[3], x[4], x[5]);
  return place->second;
}

/// Σ k^-s over k = 1, ..., K, by panels.
double power_sum(const double* x) {
  require_legal(x[0] <= max_classes, "expected at most 1e300 classes");
  const QuadratureRule rule = panel_rule(x[0], usual_panel_order);
  double sum = 0;
  for (std::size_t i = 0; i < rule.size(); ++i) sum += rule.count[i] * std::pow(rule.rank[i], -x[1]);
  return sum;
}

}  // namespace

std::vector<ClosedForm> spike_forms() {
  return {
      {{"spike_recovery",
        "uᵀ msgn(λ u vᵀ + σ N) v of normal noise N, m x n, θ = λ/(σ√n), γ = m/n, in the limit of large m",
        "γ = 1: (2/π) [(1 - θ⁻²) atan θ + θ⁻¹]; an integral for γ < 1"},
       {"theta", "gamma"},
       [](const double* x) { return spike_recovery(x[0], x[1]); }},
      {{"drawn_recovery",
        "the same for drawn matrices, each N paired with -N: the mean over this many pairs from a seed",
        "uᵀ msgn(λ u vᵀ + σ N) v"},
       {"m", "n", "signal", "noise", "seed", "draws"},
       drawn_recovery,
       nullptr,
       {},
       drawn_work},
      {{"power_sum", "sum of a power law", "Σ k^-s over k = 1, ..., K"}, {"K", "s"}, power_sum},
  };
}

}  // namespace rarefact
