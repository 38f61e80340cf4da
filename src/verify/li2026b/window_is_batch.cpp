#include "verify/li2026b/spikes.hpp"

namespace rarefact::checks::li2026b {

namespace {

/// B(2T-1): pairs that the momentum is as good as.
double effective_batch(const EvidencePoint& point) {
  return std::round(batch_of(point) * window_of(momentum_of(point, "before")));
}

void judge_window(const Evidence& evidence, CheckReport& report) {
  for (const double batch : distinct(list_of(evidence[0]), effective_batch)) {
    std::map<bool, std::vector<double>> found;  // with momentum, or one large batch
    double exact = 0;
    for (const EvidencePoint& point : evidence[0]) {
      if (effective_batch(point) != batch) continue;
      found[momentum_of(point, "before") > 0].push_back(
          late_mean(point, "before", "alignment", point.last_step() / 2));
      exact = flat_recovery(flat_strength(point.class_total(), point.experiment.label_noise, batch));
    }
    const std::string of = fmt::format("B(2T-1) = {:g}", batch);
    report.add("momentum", of,
               judge::seed_mean_equals("alignment of momentum before the polar factor", found[true], exact,
                                       0.002, 0.002),
               true);
    report.add(
        "batch", of,
        judge::seed_mean_equals("alignment of one batch of that size", found[false], exact, 0.002, 0.002),
        true);
  }
}

}  // namespace

CheckRow window_is_batch() {
  return {.id = "li2026b/window-is-batch",
          .hypotheses = {four_seeds(), frozen(), samples(), needed(label_noise()), complete(), orthonormal(),
                         needed({"windows beside batches as large",
                                 [](const PointList& points) {
                                   std::map<double, std::set<bool>> found;
                                   for (const EvidencePoint* point : points)
                                     found[effective_batch(*point)].insert(momentum_of(*point, "before") > 0);
                                   const bool both = std::ranges::all_of(
                                       found, [](const auto& one) { return one.second.size() == 2; });
                                   return Outcome{both, fmt::format("{} sizes", found.size())};
                                 }})},
          .momentum = true,
          .no_precise_runs = no_digits,
          .judge = judge_window};
}

}  // namespace rarefact::checks::li2026b
