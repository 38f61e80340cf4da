#include "verify/rarefact2026/fan_in.hpp"

namespace rarefact::checks::rarefact2026 {

namespace {

/// Of a dense run beside the run that holds twins together: before they part, and after.
struct Lock {
  double before = 0;    ///< largest relative difference of errors up to the first gain above 2
  double constant = 0;  ///< e_fast K √r_slow/(η e_slow) at the end
  double left = 0;      ///< fast errors at the end over those that twins held together have
  double total = 0;     ///< L over that of the other run, at the end
};

/// Mean error of the queries of a fan-in.
double error_of(const EvidencePoint& point, double fan_in, std::int64_t step) {
  double sum = 0, queries = 0;
  for (const QueryRow& query : query_rows(point)) {
    if (query.fan_in != fan_in) continue;
    const double count = point.run().class_count[query.row];
    sum += count * point.at("muon", "error", step, query.row);
    queries += count;
  }
  return sum / queries;
}

Lock lock_of(const EvidencePoint& dense, const EvidencePoint& held) {
  const auto [least, most] = std::ranges::minmax(dense.run().answers.value().fan_in);
  Lock lock;
  Largest before;
  for (const std::int64_t step : dense.result.steps) {
    if (!(held.at("muon", "twin_gain", step) <= 2)) break;
    for (const double fan_in : {least, most})
      before.add(std::abs(error_of(dense, fan_in, step) / error_of(held, fan_in, step) - 1));
  }
  lock.before = before;
  const std::int64_t end = dense.last_step();
  const double fast = error_of(dense, least, end), slow = error_of(dense, most, end);
  lock.constant = fast * answer_count(dense) * std::sqrt(most) / (dense.optimizer("muon").step_size * slow);
  lock.left = fast / error_of(held, least, end);
  lock.total = dense.last("muon", "loss") / held.last("muon", "loss");
  return lock;
}

void judge_lock(const Evidence& evidence, CheckReport& report) {
  Largest before, total;
  double least_left = INFINITY;
  std::vector<double> constants;
  for (std::size_t i = 0; i < evidence[0].size(); ++i) {
    const Lock lock = lock_of(evidence[0][i], evidence[1].at(i));
    before.add(lock.before);
    total.add(std::abs(lock.total - 1));
    least_left = std::min(least_left, lock.left);
    constants.push_back(lock.constant);
  }
  // An error is a hundred units in the last place of logits of order 10, in which rounding grows from step to step.
  report.finding("before").ours().at_most(
      "largest difference of errors, dense and symmetric, until twin_gain passes 2", before, 1e-9);
  report.finding("after").ours().at_least("least error of the fast answers at the end, dense over symmetric",
                                          least_left, 10);
  const auto [low, high] = std::ranges::minmax(constants);
  Finding settled =
      judge::seed_mean("e K √r_slow/(η e_slow) of the fast answers at the end, mean of the runs", constants);
  settled.low = low, settled.high = high;
  settled.rule =
      fmt::format("{} runs, from {:.3g} to {:.3g}; about 0.4, 0.2 to 0.8", constants.size(), low, high);
  if (!(low > 0.2 && high < 0.8)) settled.verdict = Verdict::fails;
  report.headline("constant").is(settled);
  report.finding("total").at_most("largest |L(dense)/L(symmetric) - 1| at the end", total, 0.05).published =
      "";
}

}  // namespace

CheckRow late_lock() {
  return {.id = "rarefact2026/late-lock",
          .hypotheses = {identity(), population_without_noise(), complete(), one_answer_each(),
                         needed(recorded_at_every_step()), different_fan_ins(2), equally_likely_queries()},
          .further = {"rarefact2026/late-lock-symmetric"},
          .no_precise_runs = "rounding to doubles is what parts the twins",
          .judge = judge_lock};
}

}  // namespace rarefact::checks::rarefact2026
