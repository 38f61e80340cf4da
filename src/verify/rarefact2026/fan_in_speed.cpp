#include "verify/rarefact2026/fan_in.hpp"

namespace rarefact::checks::rarefact2026 {

namespace {

/// Errors after equal steps of columns that start equal.
constexpr double column_rounding = 1e-12;

/// What n alike answers leave of a margin: the direction in which all of them agree is none of the gradient's.
double left_out(const EvidencePoint& point) {
  return 5 / std::ranges::min(point.run().answers.value().count) + column_rounding;
}

/// Margin over ηt at the last step.
double speed_of(const EvidencePoint& point, const QueryRow& query) {
  const double time = point.optimizer("muon").step_size * static_cast<double>(point.last_step());
  return margin_at(point, "muon", point.last_step(), query.row) / time;
}

void judge_speed(const Evidence& evidence, CheckReport& report) {
  Points speed, predicted;
  Largest law;
  std::map<std::string, Largest> columns;  // |ln(error/error)| of two queries, by rule
  double allowed = 0;
  for (const EvidencePoint& point : evidence[0]) {
    allowed = std::max(allowed, left_out(point));
    for (const QueryRow& query : query_rows(point)) {
      const double found = speed_of(point, query);
      speed[query.fan_in] = found;
      predicted[query.fan_in] = 1 / std::sqrt(query.fan_in);
      law.add(std::abs(found * std::sqrt(query.fan_in) - 1));
    }
    for (const std::string rule : {"gd", "signgd"}) {
      const std::vector<double> error = point.classes(rule, "error", point.last_step());
      const auto [least, most] = std::ranges::minmax(error);
      columns[rule].add(std::log(most / least));
      columns[rule].add(least < 0.9 * (1 - 1 / answer_count(point)) ? 0 : INFINITY);  // something was learned
    }
  }
  report.headline("exponent").ours().exponent("exponent of Muon's speed in the fan-in", speed, -0.5, allowed);
  report.finding("muon").equals("largest |m √r/(ηt) - 1| of a query under Muon", law, 0, allowed);
  for (const auto& [rule, largest] : columns)
    report.headline(rule).equals("largest ln(error/error) of two queries under " + rule, largest, 0,
                                 column_rounding);
  report.curve("Muon's margin over ηt against the fan-in", "r", {{"measured", speed}, {"r^-1/2", predicted}});
}

}  // namespace

CheckRow fan_in_speed() {
  return {.id = "rarefact2026/fan-in-speed",
          .hypotheses = {identity(), population_without_noise(), complete(), one_answer_each(),
                         different_fan_ins(3), equally_likely_queries()},
          .judge = judge_speed};
}

}  // namespace rarefact::checks::rarefact2026
