#include "model/log_odds.hpp"
#include "model/quadrature_rule.hpp"
#include "verify/rarefact2026/fan_in.hpp"

namespace rarefact::checks::rarefact2026 {

namespace {

constexpr const char* exponent_key = "classes.exponent";

/// Σ_k q_k softplus(ln(K-1) - τ k^(s/2)), q_k ∝ k^-s, τ = ηt/√r_1: the loss of equally likely queries whose answers
/// have the fan-ins r_1 k^-s.
double loss_of_fan_ins(const QuadratureRule& ranks, double total, double s, double scaled_time) {
  double loss = 0, mass = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double weight = ranks.count[i] * std::pow(ranks.rank[i], -s);
    mass += weight;
    loss += weight * softplus(std::log(total - 1) - scaled_time * std::pow(ranks.rank[i], s / 2));
  }
  return loss / mass;
}

/// `shown`: the exponent is a number of the tables.
void judge_run(const EvidencePoint& point, const std::string& of, bool shown, Largest& largest,
               CheckReport& report) {
  const double total = answer_count(point),
               least_fan_in = std::ranges::min(point.run().answers.value().fan_in),
               step_size = point.optimizer("muon").step_size;
  const QuadratureRule ranks = panel_rule(total, usual_panel_order);
  const double most_fan_in = std::ranges::max(point.run().answers.value().fan_in);
  Points measured, closed;
  for (const std::int64_t step : point.result.steps) {
    const double time = step_size * static_cast<double>(step), loss = point.at("muon", "loss", step);
    const double exact =
        loss_of_fan_ins(ranks, total, point.parameter(exponent_key), time / std::sqrt(most_fan_in));
    largest.add(std::abs(loss / exact - 1) * total / std::log(total));
    if (time < std::log(total) * std::sqrt(least_fan_in)) continue;
    measured[time] = loss;
    closed[time] = exact;
  }
  if (measured.size() < 3) return report.assume("runs beyond √r_min ln K", false, "K = " + of);
  const double slope = judge::fit_of(closed).slope, left_out = std::log(total) / total;
  report.finding("run", of, shown)
      .ours()
      .exponent("exponent of L in t beyond √r_min ln K", measured, slope, left_out);
  report.curve("loss, " + of, "ηt", {{"measured", measured}, {"closed form", closed}});
}

void judge_loss(const Evidence& evidence, CheckReport& report) {
  Largest largest;
  const double most = distinct(list_of(evidence[0]), answer_count).back();
  for (const EvidencePoint& point : evidence[0])
    judge_run(point, fmt::format("s = {:g}, K = {:g}", point.parameter(exponent_key), answer_count(point)),
              answer_count(point) == most, largest, report);
  report.headline("loss").at_most("largest |L/closed form - 1|, as a part of ln K/K", largest, 1).published =
      "";
}

}  // namespace

CheckRow loss_exponent() {
  return {.id = "rarefact2026/loss-exponent",
          .hypotheses = {orthonormal(), population_without_noise(), complete(), one_answer_each(),
                         different_fan_ins(10), equally_likely_queries()},
          .judge = judge_loss};
}

}  // namespace rarefact::checks::rarefact2026
