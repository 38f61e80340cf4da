#include <fmt/format.h>

#include "verify/check_row.hpp"
#include "verify/findings.hpp"
#include "verify/hypotheses.hpp"
#include "verify/judge.hpp"
#include "verify/muon_evidence.hpp"

namespace rarefact::checks {

namespace {

constexpr const char* step_key = "optimizer.muon.step_size";

/// Steps after the start.
std::vector<std::int64_t> steps_of(const EvidencePoint& point) {
  return {point.result.steps.begin() + 1, point.result.steps.end()};
}

/// A quantity over K: of every step, and the greatest of all steps.
struct OverSteps {
  std::map<std::int64_t, Points> of_step;
  Points greatest;

  void add(std::int64_t step, double total, double value) {
    of_step[step][total] = value;
    const auto [place, fresh] = greatest.try_emplace(total, value);
    if (!fresh && !(value <= place->second)) place->second = value;
  }
};

/// The ratio to the claim is bounded over K at all steps, and at each ends at `sharp`.
void bounded_at_every_step(const std::string& quantity, const std::string& of, const OverSteps& ratio,
                           const OverSteps& scaled, double sharp, double tolerance, CheckReport& report) {
  report.findings.push_back(
      judge::bounded(quantity + of + ", greatest over t", keys(ratio.greatest), values(ratio.greatest)));
  std::vector<double> ends;
  for (const auto& [step, points] : scaled.of_step) ends.push_back(points.rbegin()->second);
  report.findings.push_back(judge::agree(quantity + of + ", limits at every t against that of the first step",
                                         ends, std::vector<double>(ends.size(), sharp), tolerance));
}

Curve curve_of(const std::string& title, const OverSteps& ratio) {
  Curve curve{.title = title, .x_label = "K", .x = keys(ratio.greatest)};
  for (const auto& [step, points] : ratio.of_step)
    curve.series.push_back({fmt::format("t = {}", step), values(points)});
  return curve;
}

void judge_step_size(const Evidence& evidence, double step_size, CheckReport& report) {
  OverSteps deviation, deficit, scaled;
  const std::vector<const EvidencePoint*> points = where(evidence[0], step_key, step_size);
  for (const EvidencePoint* point : points) {
    const double total = point->class_total();
    for (const std::int64_t step : steps_of(*point)) {
      const double lack = point->at("muon", "rho_deficit", step);
      deviation.add(step, total, point->at("muon", "weight_identity_deviation", step) * total);
      deficit.add(step, total, lack * total / std::log(total));
      scaled.add(step, total, lack / deficit_scale(1, total, point->experiment.rho_epsilon));
    }
  }
  const EvidencePoint& last = *points.back();
  const double total = last.class_total(), epsilon = last.experiment.rho_epsilon;
  const bool headline = step_size == evidence[0].front().parameter(step_key);
  const std::string of = fmt::format(", η = {:g}", step_size);
  // Margins of two classes are t η (b_i - b_j)/K apart, which changes the ratios of their errors, and with
  // them the polar factor, by as much; the deficit also lacks its second order.
  const double constant = deficit_constant(evidence, last);
  const double travelled = step_size * static_cast<double>(steps_of(last).back()) + 1;
  const double left_out = 10 * travelled / total;
  bounded_at_every_step("K |C_t|/a_t", of, deviation, deviation, deviation_constant(evidence, last),
                        capped(left_out + lost_digits(last)), report);
  report.findings[report.findings.size() - 2].headline = headline;
  bounded_at_every_step("((1-ϱ)/ε - 1) K/ln K", of, deficit, scaled, constant,
                        capped(left_out + 2 * deficit_scale(constant, total, epsilon) + lost_digits(last)),
                        report);
  report.findings[report.findings.size() - 2].headline = headline;
  report.curves.push_back(curve_of("K |C_t|/a_t against K" + of, deviation));
  report.curves.push_back(curve_of("((1-ϱ)/ε - 1) K/ln K against K" + of, deficit));
}

void judge_multi_step_muon(const Evidence& evidence, CheckReport& report) {
  report.hypotheses = {hypothesis::orthonormal(evidence[0]),
                       hypothesis::population_without_noise(evidence[0]),
                       hypothesis::two_levels(evidence[0])};
  for (const double step_size : values_of(evidence[0], step_key))
    judge_step_size(evidence, step_size, report);
  report.note =
      "ϱ of W_t is taken over the factors by which W_t is multiplied. Deficits of order ln K/K need 50 "
      "digits.";
  undecide_where_unmet(report);
}

}  // namespace

CheckRow multi_step_muon() {
  return {
      .id = "wang2025/multi-step-muon",
      .title = "every step of Muon is balanced",
      .statement =
          "What holds for Muon's first step holds at every step t: W_t = Ẽ(a_t I + C_t)Eᵀ with "
          "|C_t| = O(a_t/K), and ϱ is at least 1 - ε(1 + O(log K/K)).",
      .source = "wang2025, Theorem 5.4",
      .hypotheses = {"orthonormal embeddings", "population gradient without label noise", "two levels of p"},
      .predicted =
          "the constants of the first step at every t: K|C_t|/a_t → K max|msgn(X) - I|, "
          "(1-ϱ)/ε - 1 → (1-ε)(max b - min b) ln(K(1-ε)/ε)/K",
      .measured =
          "20 steps on the symmetric engine in 50 digits with K up to 3e18, before learning (η = 0.5) and "
          "beyond it (η = 5)",
      .rule =
          "K|C_t|/a_t and ((1-ϱ)/ε - 1) K/ln K are bounded over K at t = 1, 2, 5, 10, 20 and end at the "
          "constants of the first step",
      .experiments = {{.file = "wang2025/multi-step-muon.toml",
                       .quick = {"sweep.classes.count=[30, 3e3, 3e6, 3e9, 3e11, 3e13, 3e15]"},
                       .precise = {"sweep.classes.count=[30, 300, 3e3, 3e4, 3e6]"}}},
      .judge = judge_multi_step_muon};
}

}  // namespace rarefact::checks
