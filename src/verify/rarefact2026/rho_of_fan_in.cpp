#include "verify/rarefact2026/fan_in.hpp"

namespace rarefact::checks::rarefact2026 {

namespace {

/// From which K on the 1 in 1 + (K-1)^(1-ρ) (ε/(1-ε))^ρ bends the exponent by less than is allowed. Up to there doubles
/// hold the distance of ϱ from its leading order.
constexpr double least_total = 1e9, bend = 1e-3;

/// ϱ to leading order: two queries of one answer each whose margins are in the ratio ρ, as of gradient descent.
double leading_rho(const Evidence& evidence, const EvidencePoint& point) {
  return evidence.exact([&]<class Real>(Real) {
    return rho_gd<Real>(answer_count(point), balance(point), point.experiment.rho_epsilon).value;
  });
}

/// ϱ of msgn[(I - 11ᵀ/K) diag(σ)] V: column l is s_l times that of its answer.
double exact_rho(const Evidence& evidence, const EvidencePoint& point) {
  return evidence.exact([&]<class Real>(Real) {
    SymmetricMatrix<Real> direction = muon_direction<Real>(answers_by_norm(point));
    for (const QueryRow& query : query_rows(point)) {
      const auto column = static_cast<Index>(query.answer);
      direction.own(column) *= Real(query.stretch);
      direction.other_entries().col(column) *= Real(query.stretch);
    }
    return rho_of_direction<Real>(direction, point.experiment.rho_epsilon);
  });
}

void judge_rho(const Evidence& evidence, CheckReport& report) {
  std::vector<std::pair<std::string, Points>> curves;
  for (const double mass : values_of(evidence[0], mass_key)) {
    Points rho, off;
    const PointList points = where(evidence[0], mass_key, mass);
    for (const EvidencePoint* point : points) {
      const double total = answer_count(*point), found = point->at("muon", "rho_at_threshold", 1);
      rho[total] = found;
      off[total] = std::abs(found / leading_rho(evidence, *point) - 1) * total / std::log(total);
    }
    const double ratio = balance(*points.front());
    const std::string of = fmt::format("ρ = {:.4g}", ratio);
    report.headline("exponent", of)
        .ours()
        .exponent("exponent of ϱ in K", between(rho, least_total), ratio - 1, bend);
    report.finding("order", of).bounded("|ϱ/leading - 1| K/ln K", between(off, 0, least_total));
    curves.push_back({of, rho});
  }
  compare_rho(report, evidence[0], "muon", "ϱ at the threshold against msgn in closed form", "",
              [&](const auto& point) { return exact_rho(evidence, point); });
  report.curve("ϱ at the threshold against K", "K", curves);
}

}  // namespace

CheckRow rho_of_fan_in() {
  return {.id = "rarefact2026/rho-of-fan-in",
          .hypotheses = {orthonormal(), population_without_noise(), one_answer_each(), different_fan_ins(2),
                         equally_likely_queries(), three_answer_counts(2, least_total),
                         three_answer_counts(least_total, INFINITY)},
          .judge = judge_rho};
}

}  // namespace rarefact::checks::rarefact2026
