#include "verify/li2026b/spikes.hpp"

namespace rarefact::checks::li2026b {

namespace {

constexpr const char* dimension_key = "embedding.dimension";
constexpr std::array drawn_sizes = {32.0, 64.0, 128.0, 256.0, 512.0};

/// √m uᵀ msgn v at one λ/σ, a number for each m and seed. Small matrices are many, as their numbers scatter most.
std::map<double, std::vector<double>> scaled(double strength) {
  std::map<double, std::vector<double>> found;
  for (const double size : drawn_sizes) {
    const auto m = static_cast<Index>(size);
    const int draws = static_cast<int>(std::clamp(std::pow(384 / size, 2), 1.0, 64.0));
    found[size] = collect(drawn_seeds, [&](double seed) {
      return std::sqrt(size) * drawn_recovery({m, m, strength}, seed, draws);
    });
  }
  return found;
}

/// a(θ)√m of θ = strength/√m.
double exact_scaled(double strength, double size) {
  return std::sqrt(size) * spike_recovery(strength / std::sqrt(size));
}

void judge_strength(double strength, CheckReport& report) {
  const std::string of = fmt::format("λ/σ = {:g}", strength);
  judge::SeedCurves curves;
  Points mean, exact;
  Finding all{.low = INFINITY, .high = -INFINITY, .verdict = Verdict::evidence};
  for (const auto& [size, kept] : scaled(strength)) {
    for (std::size_t seed = 0; seed < kept.size(); ++seed)
      curves[static_cast<std::int64_t>(seed)][size] = kept[seed] / std::sqrt(size);
    exact[size] = exact_scaled(strength, size);
    const Finding found = judge::seed_mean("√m uᵀ msgn v", kept);
    mean[size] = found.measured;
    all.low = std::min(*all.low, *found.low);
    all.high = std::max(*all.high, *found.high);
    report.add("kept", fmt::format("{}, m = {:g}", of, size),
               judge::seed_mean_equals("√m uᵀ msgn v", kept, exact[size], 0.02, 0.2),
               size == drawn_sizes.back());
  }
  Finding side = strength <= 1 ? judge::interval_below("1 - √m uᵀ msgn v of all m", all, 1)
                               : judge::interval_above("√m uᵀ msgn v - 1 of all m", all, 1);
  if (strength <= 1) side.published = ">= 0";
  report.add("bound", of, side, true);
  const std::vector<double> slopes =
      collect(curves, [](const auto& seed) { return judge::fit_of(seed.second).slope; });
  report.add("slope", of,
             judge::seed_mean_equals("exponent of uᵀ msgn v in m", slopes, judge::fit_of(exact).slope - 0.5,
                                     0.1, 0.2));
  report.curve("√m uᵀ msgn v, " + of, "m", {{"measured", mean}, {"a(θ)√m", exact}});
}

void judge_low_snr(const Evidence& evidence, CheckReport& report) {
  for (const double strength : {1.0, 1.5}) judge_strength(strength, report);
  for (const double dimension : values_of(evidence[0], dimension_key)) {
    const PointList points = where(evidence[0], dimension_key, dimension);
    const double theta = memory_theta(*points.front());
    report.add("memory", fmt::format("d = {:g}", dimension),
               judge::seed_mean_equals("√d times the mean push of d² facts",
                                       collect(points,
                                               [=](const auto* point) {
                                                 return std::sqrt(dimension) * point->at("muon", "push", 0);
                                               }),
                                       std::sqrt(dimension) * spike_recovery(theta), 0.05, 0.2));
  }
}

}  // namespace

CheckRow low_snr() {
  return {.id = "li2026b/low-snr",
          .hypotheses = {four_seeds(), population_without_noise(),
                         of_embeddings("random unit vectors in fewer dimensions",
                                       [](const Component& side) { return side.kind == "sphere"; }),
                         every(
                             "equally likely facts",
                             [](const auto& point) { return probability_ratio(point) == 1; }, "all runs",
                             "not in every run"),
                         assumed("m → ∞")},
          .no_precise_runs = no_digits,
          .judge = judge_low_snr};
}

}  // namespace rarefact::checks::li2026b
