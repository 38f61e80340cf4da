#include "verify/li2026b/spikes.hpp"

namespace rarefact::checks::li2026b {

namespace {

void judge_drawn(const Spike& spike, double exact, const std::string& of, CheckReport& report) {
  const auto kept = collect(drawn_seeds, [&](double seed) { return drawn_recovery(spike, seed, 8); });
  report.add("drawn", of,
             judge::seed_mean_equals("uᵀ msgn v of matrices of Gaussian numbers", kept, exact, 0.005, 0.05),
             true);
}

void judge_spiked(const Evidence& evidence, CheckReport& report) {
  constexpr Index size = 128;
  for (const double theta : {0.5, 1.0, 2.0, 4.0}) {
    const Spike spike{size, size, theta * std::sqrt(static_cast<double>(size))};
    judge_drawn(spike, spike_recovery(theta), fmt::format("θ = {:g}", theta), report);
  }
  const Spike flat{size / 2, size, std::sqrt(static_cast<double>(size))};
  judge_drawn(flat, spike_recovery(flat.theta(), 0.5), "θ = 1, γ = 1/2", report);

  Points measured, exact;
  for (const double mass : values_of(evidence[0], mass_key)) {
    const PointList points = where(evidence[0], mass_key, mass);
    const double theta = memory_theta(*points.front());
    const Finding& found =
        report.add("memory", fmt::format("θ = {:.3g}", theta),
                   judge::seed_mean_equals(
                       "push of one frequent fact among d² rare ones",
                       collect(points, [](const auto* point) { return point->at("muon", "push", 0); }),
                       spike_recovery(theta), 0.05, 0.2));
    measured[theta] = found.measured;
    exact[theta] = spike_recovery(theta);
  }
  report.curve("push of one frequent fact among many rare ones", "θ",
               {{"measured", measured}, {"a(θ)", exact}});
}

}  // namespace

CheckRow spiked() {
  return {.id = "li2026b/spiked",
          .hypotheses = {four_seeds(), population_without_noise(),
                         of_embeddings("random unit vectors in fewer dimensions",
                                       [](const Component& side) { return side.kind == "sphere"; }),
                         assumed("m → ∞")},
          .no_precise_runs = no_digits,
          .judge = judge_spiked};
}

}  // namespace rarefact::checks::li2026b
