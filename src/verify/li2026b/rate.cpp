#include "verify/li2026b/spikes.hpp"

namespace rarefact::checks::li2026b {

namespace {

/// θ of the spike that is drawn.
constexpr double drawn_theta = 0.5;

/// 1 - uᵀ msgn v of the average over a window T, whose noise has the size σ/√(2T-1).
Points drawn_deficits(double seed) {
  constexpr Index size = 128;
  Points deficits;
  for (const double window : {200.0, 400.0, 800.0}) {
    const double batch = 2 * window - 1;
    const Spike spike{size, size, drawn_theta * std::sqrt(static_cast<double>(size)), 1 / std::sqrt(batch)};
    deficits[batch] = 1 - drawn_recovery(spike, seed, 4);
  }
  return deficits;
}

/// The published order is a bound from above; what is found falls faster.
void judge_slopes(const std::string& id, const judge::SeedCurves& curves, double sharp, double tolerance,
                  double widest, const std::string& words, CheckReport& report) {
  const std::vector<double> slopes =
      collect(curves, [](const auto& seed) { return judge::fit_of(seed.second).slope; });
  report.add(id, judge::seed_mean_equals(words, slopes, sharp, tolerance, widest), true).published =
      "<= -0.5";
  report.add(id + "-bound",
             judge::interval_below("-1/2 less the " + words, judge::seed_mean("", slopes), -0.5));
}

void judge_rate(const Evidence& evidence, CheckReport& report) {
  judge::SeedCurves drawn, memory;
  for (const double seed : drawn_seeds) drawn[static_cast<std::int64_t>(seed)] = drawn_deficits(seed);
  const Points mean = judge::mean_over_seeds(drawn);
  const Points exact = over(keys(mean), std::identity(),
                            [](double batch) { return 1 - spike_recovery(drawn_theta * std::sqrt(batch)); });
  judge_slopes("drawn", drawn, judge::fit_of(exact).slope, 0.02, 0.1,
               "exponent of 1 - uᵀ msgn v in 2T-1, spike of θ = 0.5", report);
  for (const EvidencePoint& point : evidence[0]) {
    const double batch = window_of(momentum_of(point, "before"));
    memory[point.experiment.seed][batch] = 1 - late_mean(point, "before", "alignment", point.last_step() / 2);
  }
  judge_slopes("memory", memory, -1, 0.05, 0.15, "exponent of 1 - alignment in 2T-1, equally likely facts",
               report);
  report.curve("1 - uᵀ msgn v of a spike, θ = 0.5", "2T-1", {{"measured", mean}, {"1 - a", exact}});
}

}  // namespace

CheckRow rate() {
  return {.id = "li2026b/rate",
          .hypotheses = {four_seeds(), frozen(), samples(), label_noise(), complete(),
                         ranged(
                             "facts drawn often in a window, s > 2",
                             [](const auto& point) {
                               const double batch = batch_of(point) * window_of(momentum_of(point, "before"));
                               const double noise = point.experiment.label_noise;
                               return noise > 0 ? flat_strength(point.class_total(), noise, batch) : INFINITY;
                             },
                             "s from {:.3g} to {:.3g}", [](double least, double) { return least > 2; })},
          .momentum = true,
          .no_precise_runs = no_digits,
          .judge = judge_rate};
}

}  // namespace rarefact::checks::li2026b
