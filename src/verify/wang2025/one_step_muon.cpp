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
  std::vector<double> ends, constants, deviation, exact_deviation;
  double furthest = 0, tolerance = 0;
  for (const PointList& points : all) {
    const Line line = line_of(evidence, points);
    ends.push_back(line.scaled.rbegin()->second);
    constants.push_back(line.constant);
    furthest = std::max(furthest, line.tolerance);
    for (const auto& [total, deficit] : line.deficit) greatest[total].add(deficit * total / std::log(total));
    for (const EvidencePoint* point : points) {
      deviation.push_back(point->at("muon", "update_identity_deviation", 0) * point->class_total());
      exact_deviation.push_back(deviation_constant(evidence, *point));
      tolerance = capped(std::max(tolerance, lost_digits(*point)));
    }
  }
  report.add("order", of,
             judge::bounded("((1-ϱ)/ε - 1) K/ln K, greatest", {greatest.begin(), greatest.end()}),
             of == "two levels");
  report.add("limit", of,
             judge::agree("((1-ϱ)/ε - 1) K/ln(K(1-ε)/ε) at the largest K against its limit", ends, constants,
                          furthest));
  report.add("deviation", of,
             judge::agree("K max|D + ẼEᵀ| in the task basis against its constant", deviation, exact_deviation,
                          tolerance));
}

void judge_first_line(const Line& line, const PointList& points, CheckReport& report) {
  const std::string at = fmt::format("at ε = {:g}", epsilon_of_k);
  report.add(
      "constant",
      judge::bounded("((1-ϱ)/ε - 1) K/ln(K(1-ε)/ε) " + at, line.scaled, 0.01, line.constant, line.tolerance),
      true);
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

}  // namespace

CheckRow one_step_muon() {
  return {.id = "wang2025/one-step-muon",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in(), on(0, two_levels())},
          .further = {"wang2025/one-step-muon-groups", "wang2025/one-step-muon-embeddings"},
          .judge = judge_muon};
}

}  // namespace rarefact::checks::wang2025
