#include "model/smooth_law.hpp"

#include <algorithm>
#include <limits>

#include "core/compensated_sum.hpp"

namespace rarefact {

namespace {

/// Σ_k f(k), k = 1..ranks.
double sum_of_ranks(const std::function<double(double)>& f, double ranks) {
  const QuadratureRule rule = panel_rule(ranks, usual_panel_order);
  CompensatedSum sum;
  for (std::size_t i = 0; i < rule.size(); ++i) sum.add(rule.count[i] * f(rule.rank[i]));
  return sum.value();
}

/// The least k in 1..ranks with Σ_{j<=k} f(j) >= wanted.
double rank_at_sum(const std::function<double(double)>& f, double ranks, double wanted) {
  double below = 0, enough = ranks;  // Σ over `below` ranks is too small, over `enough` ranks it is not
  while (enough - below > 1) {
    // Bisection of the logarithm, then of the difference.
    const double guess = below < 1 ? std::sqrt(enough) : std::sqrt(below) * std::sqrt(enough);
    const double middle = std::clamp(
        std::floor(enough / std::max(below, 1.0) > 4 ? guess : (below + enough) / 2), below + 1, enough);
    if (middle >= enough || middle <= below) break;  // neighbouring doubles above 2^53
    (sum_of_ranks(f, middle) >= wanted ? enough : below) = middle;
  }
  return enough;
}

}  // namespace

SmoothLaw with_power(const SmoothLaw& law, double exponent) {
  SmoothLaw other = law;
  other.weight = [law, exponent](double rank) {
    const double queries = law.queries(rank);
    return queries * std::pow(law.weight(rank) / queries, exponent);
  };
  return other;
}

double weight_of_ranks(const SmoothLaw& law, double ranks) {
  return sum_of_ranks(law.weight, ranks);
}

double queries_of_ranks(const SmoothLaw& law, double ranks) {
  return law.fan_in ? sum_of_ranks(law.fan_in, ranks) : ranks;
}

double rank_at_mass(const SmoothLaw& law, double mass) {
  return rank_at_sum(law.weight, law.classes, mass * weight_of_ranks(law, law.classes));
}

double answer_of_query(const SmoothLaw& law, double query) {
  return law.fan_in ? rank_at_sum(law.fan_in, law.classes, query) : std::ceil(query);
}

std::pair<double, double> query_probabilities(const SmoothLaw& law) {
  const double total = weight_of_ranks(law, law.classes);
  if (!law.fan_in) return {law.probability(law.classes, total), law.probability(1, total)};
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  for (const double rank : panel_rule(law.classes, usual_panel_order).rank) {
    const double p = law.probability(rank, total);
    lowest = std::min(lowest, p);
    highest = std::max(highest, p);
  }
  return {lowest, highest};
}

bool likeliest_first(const SmoothLaw& law) {
  constexpr double rounding = 1e-12;
  double before = std::numeric_limits<double>::infinity();
  for (const double rank : panel_rule(law.classes, usual_panel_order).rank) {
    const double here = law.probability(rank, 1);
    if (here > before * (1 + rounding)) return false;
    before = here;
  }
  return true;
}

}  // namespace rarefact
