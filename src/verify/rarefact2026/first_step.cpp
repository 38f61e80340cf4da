#include "algebra/centred_columns.hpp"
#include "metrics/spectral.hpp"
#include "verify/rarefact2026/fan_in.hpp"

namespace rarefact::checks::rarefact2026 {

namespace {

constexpr double rounding = 1e-12;

/// What the first update of Muon adds to the right logit of every query type, for η = 1: the own entry of
/// msgn[(I - 11ᵀ/K) diag(σ)] times s.
std::vector<double> exact_gains(const Evidence& evidence, const EvidencePoint& point) {
  std::vector<double> gains;
  for (const QueryRow& query : query_rows(point)) {
    gains.push_back(evidence.exact([&]<class Real>(Real) {
      const auto direction = muon_direction<Real>(answers_by_norm(point));
      return Real(direction.own(static_cast<Index>(query.answer))(0, 0) * Real(query.stretch));
    }));
  }
  return gains;
}

/// Those of the residual, whose values are those of one query an answer with σ for p.
SingularValues exact_values(const Evidence& evidence, const EvidencePoint& point) {
  SingularValues values;
  const auto fill = [&]<class Real>(Real) {
    const ClassGroups groups = answers_by_norm(point);
    const auto exact =
        centred_singular_values<Real>(groups.count, {groups.probability.begin(), groups.probability.end()});
    values = {collect(exact.values, [](const Real& value) { return static_cast<double>(value); }),
              exact.multiplicities};
    return Real(0);
  };
  evidence.exact(fill);
  return values;
}

/// The least ratio of probabilities of two queries with the same answer.
double evenness_inside(const EvidencePoint& point) {
  if (!point.run().answers) return NAN;
  double least = 1;
  for (const QueryRow& one : query_rows(point)) {
    for (const QueryRow& other : query_rows(point)) {
      if (one.answer == other.answer) least = std::min(least, one.probability / other.probability);
    }
  }
  return least;
}

void judge_first_step(const Evidence& evidence, CheckReport& report) {
  Comparison gained, measures;
  Points off;
  for (const EvidencePoint& point : evidence[0]) {
    const std::vector<double> push = point.classes("muon", "push", 0), gains = exact_gains(evidence, point);
    gained.add(push, gains);
    Largest largest;
    for (const QueryRow& query : query_rows(point))
      largest.add(std::abs(push[query.row] / query.stretch - 1));
    off[answer_count(point)] = largest * answer_count(point);
    const Levels levels = levels_of(exact_values(evidence, point));
    for (const auto& [name, value] : spectral_measures(levels))
      measures.add(point.at("gd", "update_" + name, 0), value);
  }
  report.headline("gain").agree("gain of every query against its closed form", gained, rounding);
  report.headline("order").ours().bounded("K |gain σ/(η p) - 1|, greatest", off);
  report.finding("values").agree("measures of the residual's singular values", measures, rounding);
  report.curve("K times the largest distance of a query's gain from η p/σ, relative", "K",
               {{"measured", off}});
}

}  // namespace

CheckRow first_step() {
  return {.id = "rarefact2026/first-step",
          .hypotheses = {orthonormal(), population_without_noise(), one_answer_each(), different_fan_ins(3),
                         three_answer_counts(2, INFINITY),
                         ranged("queries of an answer that differ", evenness_inside,
                                "p_min/p_max inside an answer at most {1:.3g}",
                                [](double, double most) { return most < 0.5; })},
          .judge = judge_first_step};
}

}  // namespace rarefact::checks::rarefact2026
