#include "verify/li2026b/spikes.hpp"

namespace rarefact::checks::li2026b {

namespace {

constexpr const char* noise_key = "data.label_noise";

void judge_training(const Evidence& evidence, CheckReport& report) {
  std::map<std::string, Points> curves;
  for (const double noise : values_of(evidence[0], noise_key)) {
    const PointList points = where(evidence[0], noise_key, noise);
    std::map<std::string, Finding> mean;
    for (const std::string order : {"before", "polar-only", "after"}) {
      mean[order] = judge::seed_mean("L - L*, " + order, collect(points, [&](const auto* point) {
                                       return point->last(order, "excess_loss");
                                     }));
      curves[order][noise] = mean[order].measured;
    }
    for (const std::string later : {"polar-only", "after"})
      report.add(later, fmt::format("α = {:g}", noise),
                 judge::intervals_apart("L - L* at the end, " + later + " less momentum before", mean[later],
                                        mean["before"]),
                 true);
  }
  report.curve("L - L* at the end, mean over seeds", "α", {curves.begin(), curves.end()});
}

}  // namespace

CheckRow training() {
  return {.id = "li2026b/training",
          .hypotheses = {four_seeds(), samples(), identity(), complete(),
                         every(
                             "one step size for all orders",
                             [](const auto& point) {
                               const auto& all = point.experiment.optimizers;
                               return std::ranges::all_of(all, [&](const auto& one) {
                                 return one.step_size == all.front().step_size;
                               });
                             },
                             "all runs", "not in every run")},
          .momentum = true,
          .no_precise_runs = no_digits,
          .judge = judge_training};
}

}  // namespace rarefact::checks::li2026b
