#include "verify/rarefact2026/fan_in.hpp"

namespace rarefact::checks::rarefact2026 {

std::vector<QueryRow> query_rows(const EvidencePoint& point) {
  const Run& run = point.run();
  const AnswerGroups& answers = run.answers.value();
  std::vector<double> squares(answers.count.size(), 0);
  std::vector<QueryRow> rows;
  for (std::size_t row = 0; row < run.class_count.size(); ++row) {
    const auto answer = static_cast<std::size_t>(answers.class_answer[row]);
    const double p = run.class_probability[row];
    squares[answer] += run.class_count[row] / answers.count[answer] * p * p;
    rows.push_back({.row = row, .answer = answer, .probability = p, .fan_in = answers.class_fan_in[row]});
  }
  for (QueryRow& one : rows) {
    one.norm = std::sqrt(squares[one.answer]);
    one.stretch = one.probability / one.norm;
  }
  return rows;
}

ClassGroups answers_by_norm(const EvidencePoint& point) {
  ClassGroups groups{point.run().answers.value().count, {}};
  groups.probability.resize(groups.count.size());
  for (const QueryRow& one : query_rows(point)) groups.probability[one.answer] = one.norm;
  return groups;
}

double answer_count(const EvidencePoint& point) {
  return point.run().answers.value().answer_count;
}

double balance(const EvidencePoint& point) {
  if (!point.run().answers) return NAN;
  const std::vector<QueryRow> rows = query_rows(point);
  const auto [least, most] = std::ranges::minmax(rows, {}, &QueryRow::stretch);
  return least.stretch / most.stretch;
}

double margin_at(const EvidencePoint& point, const std::string& optimizer, std::int64_t step,
                 std::size_t row) {
  // ln(wrong/right) is ln(error) less ln(p̂) = -loss.
  return std::log(answer_count(point) - 1) - std::log(point.at(optimizer, "error", step, row)) -
         point.at(optimizer, "class_loss", step, row);
}

HypothesisRow one_answer_each() {
  return needed(every(
      "every query has one answer, which a law says",
      [](const auto& point) {
        const auto& answers = point.run().answers;
        return answers && answers->loss_floor == 0 && std::ranges::min(answers->fan_in) >= 1;
      },
      "all runs", "a run has queries of several answers, answers without queries, or no law"));
}

HypothesisRow different_fan_ins(std::size_t least) {
  return needed({fmt::format("{} different fan-ins at least", least), [=](const PointList& points) {
                   std::set<double> found;
                   for (const EvidencePoint* point : points) {
                     if (point->run().answers)
                       found.insert(point->run().answers->fan_in.begin(), point->run().answers->fan_in.end());
                   }
                   return Outcome{found.size() >= least, fmt::format("{} of them", found.size())};
                 }});
}

HypothesisRow three_answer_counts(double low, double high) {
  return needed({fmt::format("three K from {:g} to {:g}", low, high), [=](const PointList& points) {
                   std::set<double> found;
                   for (const EvidencePoint* point : points) {
                     if (!point->run().answers) continue;
                     const double total = answer_count(*point);
                     if (total >= low && total <= high) found.insert(total);
                   }
                   return Outcome{found.size() >= 3, fmt::format("{} of them", found.size())};
                 }});
}

HypothesisRow equally_likely_queries() {
  return ranged(
      "equally likely queries, to a hundredth",
      [](const auto& point) { return 1 / probability_ratio(point) - 1; },
      "p differs by up to {1:.2g} of itself", [](double, double most) { return most <= 0.01; });
}

}  // namespace rarefact::checks::rarefact2026
