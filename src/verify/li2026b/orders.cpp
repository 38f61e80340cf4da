#include "verify/check.hpp"
#include "verify/li2026b/recovery.hpp"

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
    report.headline("momentum", of)
        .seed_mean_equals("alignment of momentum before the polar factor", found[true], exact, 0.002, 0.002);
    report.headline("batch", of)
        .seed_mean_equals("alignment of one batch of that size", found[false], exact, 0.002, 0.002);
  }
}

/// The loss of each order, over the values of a key.
void judge_over(const char* key, const char* symbol, const EvidencePoints& all, CheckReport& report) {
  std::map<std::string, Points> curves;
  for (const double value : values_of(all, key)) {
    const PointList points = where(all, key, value);
    std::map<std::string, Finding> mean;
    for (const std::string order : {"before", "polar-only", "after"}) {
      mean[order] = judge::seed_mean("L - L*, " + order, collect(points, [&](const auto* point) {
                                       return point->last(order, "excess_loss");
                                     }));
      curves[order][value] = mean[order].measured;
    }
    for (const std::string later : {"polar-only", "after"})
      report.headline(later, fmt::format("{} = {:g}", symbol, value))
          .intervals_apart("L - L* at the end, " + later + " less momentum before", mean[later],
                           mean["before"]);
  }
  report.curve("L - L* at the end, mean over seeds", symbol, {curves.begin(), curves.end()});
}

void judge_training(const Evidence& evidence, CheckReport& report) {
  judge_over("data.label_noise", "α", evidence[0], report);
  judge_over("classes.count", "K", evidence[1], report);
}

}  // namespace

CheckRow window_is_batch() {
  return {.id = "li2026b/window-is-batch",
          .hypotheses = {four_seeds(), equal_fan_in(), frozen(), samples(), needed(label_noise()), complete(),
                         orthonormal(),
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

CheckRow training() {
  return {.id = "li2026b/training",
          .hypotheses = {four_seeds(), equal_fan_in(), samples(), identity(), complete(),
                         every(
                             "one step size for all orders",
                             [](const auto& point) {
                               const auto& all = point.experiment.optimizers;
                               return std::ranges::all_of(all, [&](const auto& one) {
                                 return one.step_size == all.front().step_size;
                               });
                             },
                             "all runs", "not in every run")},
          .further = {"li2026b/training-at-scale"},
          .momentum = true,
          .no_precise_runs = no_digits,
          .judge = judge_training};
}

}  // namespace rarefact::checks::li2026b
