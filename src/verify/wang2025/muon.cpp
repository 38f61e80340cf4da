#include "verify/check.hpp"

namespace rarefact::checks::wang2025 {

namespace {

/// The points of one spectrum and one ε, over K.
struct Line {
  Points deficit, scaled;  ///< (1-ϱ)/ε - 1, and over ln(K(1-ε)/ε)/K
  double constant;         ///< what the latter tends to
  double tolerance;        ///< of that at the last K
};

Line line_of(const Evidence& evidence, const PointList& points) {
  Line line;
  for (const EvidencePoint* point : points) {
    const double total = point->class_total(), deficit = point->at("muon", "rho_deficit", 1);
    line.deficit[total] = deficit;
    line.scaled[total] = deficit / deficit_scale(1, *point);
  }
  const EvidencePoint& last = *points.back();
  line.constant = deficit_constant(evidence, last);
  line.tolerance = capped(2 * deficit_scale(line.constant, last) + lost_digits(last));
  return line;
}

/// What is claimed of every line of an experiment.
void judge_lines(const Evidence& evidence, const std::vector<PointList>& all, const std::string& of,
                 CheckReport& report) {
  std::map<double, Largest> greatest;  // ((1-ϱ)/ε - 1) K/ln K of all lines
  Comparison ends, deviation;
  double furthest = 0, tolerance = 0;
  for (const PointList& points : all) {
    const Line line = line_of(evidence, points);
    ends.add(line.scaled.rbegin()->second, line.constant);
    furthest = std::max(furthest, line.tolerance);
    for (const auto& [total, deficit] : line.deficit) greatest[total].add(deficit * total / std::log(total));
    for (const EvidencePoint* point : points) {
      deviation.add(point->at("muon", "update_identity_deviation", 0) * point->class_total(),
                    deviation_constant(evidence, *point));
      tolerance = capped(std::max(tolerance, lost_digits(*point)));
    }
  }
  report.finding("order", of, of == "two levels")
      .bounded("((1-ϱ)/ε - 1) K/ln K, greatest", Points(greatest.begin(), greatest.end()));
  report.finding("limit", of)
      .agree("((1-ϱ)/ε - 1) K/ln(K(1-ε)/ε) at the largest K against its limit", ends, furthest);
  report.finding("deviation", of)
      .agree("K max|D + ẼEᵀ| in the task basis against its constant", deviation, tolerance);
}

void judge_first_line(const Line& line, const PointList& points, CheckReport& report) {
  const std::string at = fmt::format("at ε = {:g}", epsilon_of_k);
  report.headline("constant")
      .bounded("((1-ϱ)/ε - 1) K/ln(K(1-ε)/ε) " + at, line.scaled, 0.01, line.constant, line.tolerance);
  Points leading;
  for (const EvidencePoint* point : points)
    leading[point->class_total()] = deficit_scale(line.constant, *point);
  report.curve("(1-ϱ)/ε - 1 against K " + at, "K", {{"measured", line.deficit}, {"leading order", leading}});
}

void judge_muon(const Evidence& evidence, CheckReport& report) {
  std::vector<PointList> two_levels, many_levels;
  const double first_mass = evidence[0].front().parameter(mass_key);
  for (const double mass : values_of(evidence[0], mass_key)) {
    for (const double epsilon : values_of(evidence[0], epsilon_key)) {
      PointList points = where(evidence[0], mass_key, mass);
      std::erase_if(points,
                    [&](const EvidencePoint* point) { return point->parameter(epsilon_key) != epsilon; });
      if (mass == first_mass && epsilon == epsilon_of_k)
        judge_first_line(line_of(evidence, points), points, report);
      two_levels.push_back(std::move(points));
    }
  }
  for (const double s : values_of(evidence[1], "classes.exponent"))
    many_levels.push_back(where(evidence[1], "classes.exponent", s));
  judge_lines(evidence, two_levels, "two levels", report);
  judge_lines(evidence, many_levels, "eight groups", report);

  const char* spectra[] = {"two levels", "eight groups", "any orthonormal embeddings"};
  for (std::size_t e = 0; e < 3; ++e) {
    compare_rho(report, evidence[e], "muon", "ϱ at the threshold against msgn(X) in closed form", spectra[e],
                [&](const auto& point) {
                  return evidence.exact([&]<class Real>(Real) {
                    return rho_of_direction<Real>(muon_direction<Real>(groups_of(point)),
                                                  point.experiment.rho_epsilon);
                  });
                });
  }
}

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
  report.finding(id + "/" + of, "", headline)
      .bounded(quantity + ", " + of + ", greatest over t", ratio.greatest);
  const auto end = [](const auto& step) { return step.second.rbegin()->second; };
  report.finding(id + "-limits/" + of)
      .agree(quantity + ", " + of + ", limits at every t against that of the first step",
             collect(scaled.of_step, end), limit, tolerance);
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

CheckRow one_step_muon() {
  return {.id = "wang2025/one-step-muon",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in(), on(0, two_levels())},
          .further = {"wang2025/one-step-muon-groups", "wang2025/one-step-muon-embeddings"},
          .judge = judge_muon};
}

CheckRow multi_step_muon() {
  return {.id = "wang2025/multi-step-muon",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in(), two_levels()},
          .judge = judge_multi_step};
}

}  // namespace rarefact::checks::wang2025
