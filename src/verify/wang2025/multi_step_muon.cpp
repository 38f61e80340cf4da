#include "verify/check.hpp"

namespace rarefact::checks::wang2025 {

namespace {

constexpr const char* step_key = "optimizer.muon.step_size";

/// Recorded steps after the start.
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

/// The ratio to the claim is bounded over K at all steps, and `scaled` ends at its limit at each.
void judge_steps(const std::string& id, const std::string& quantity, const std::string& of, bool headline,
                 const OverSteps& ratio, const OverSteps& scaled, double limit, double tolerance,
                 CheckReport& report) {
  report.add(id + "/" + of, judge::bounded(quantity + ", " + of + ", greatest over t", ratio.greatest),
             headline);
  const auto end = [](const auto& step) { return step.second.rbegin()->second; };
  report.add(id + "-limits/" + of,
             judge::agree(quantity + ", " + of + ", limits at every t against that of the first step",
                          collect(scaled.of_step, end), limit, tolerance));
  std::vector<std::pair<std::string, Points>> curves;
  for (const auto& [step, points] : ratio.of_step) curves.push_back({fmt::format("t = {}", step), points});
  report.curve(quantity + " against K, " + of, "K", curves);
}

void judge_multi_step(const Evidence& evidence, CheckReport& report) {
  for (const double step_size : values_of(evidence[0], step_key)) {
    OverSteps deviation, deficit, scaled;
    const PointList points = where(evidence[0], step_key, step_size);
    for (const EvidencePoint* point : points) {
      const double total = point->class_total();
      for (const std::int64_t step : steps_of(*point)) {
        const double lack = point->at("muon", "rho_deficit", step);
        deviation.add(step, total, point->at("muon", "weight_identity_deviation", step) * total);
        deficit.add(step, total, lack * total / std::log(total));
        scaled.add(step, total, lack / deficit_scale(1, *point));
      }
    }
    const EvidencePoint& last = *points.back();
    const bool headline = step_size == evidence[0].front().parameter(step_key);
    const std::string of = fmt::format("η = {:g}", step_size);
    // Margins of two classes are t η (b_i - b_j)/K apart, which changes the ratios of their errors, and with
    // them the polar factor, by as much; the deficit also lacks its second order.
    const double constant = deficit_constant(evidence, last);
    const double travelled = step_size * static_cast<double>(last.last_step()) + 1;
    const double left_out = 10 * travelled / last.class_total();
    judge_steps("deviation", "K |C_t|/a_t", of, headline, deviation, deviation,
                deviation_constant(evidence, last), capped(left_out + lost_digits(last)), report);
    judge_steps("deficit", "((1-ϱ)/ε - 1) K/ln K", of, headline, deficit, scaled, constant,
                capped(left_out + 2 * deficit_scale(constant, last) + lost_digits(last)), report);
  }
}

}  // namespace

CheckRow multi_step_muon() {
  return {.id = "wang2025/multi-step-muon",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in(), two_levels()},
          .judge = judge_multi_step};
}

}  // namespace rarefact::checks::wang2025
