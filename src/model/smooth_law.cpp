#include "model/smooth_law.hpp"

#include <algorithm>
#include <cmath>
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
  double below = 0, enough = ranks;  // Σ over `below` ranks is too little, over `enough` it is not
  while (enough - below > 1) {
    // Halves the logarithm, then the difference.
    const double guess = below < 1 ? std::sqrt(enough) : std::sqrt(below) * std::sqrt(enough);
    const double middle = std::clamp(
        std::floor(enough / std::max(below, 1.0) > 4 ? guess : (below + enough) / 2), below + 1, enough);
    if (middle >= enough || middle <= below) break;  // neighbouring doubles above 2^53
    (sum_of_ranks(f, middle) >= wanted ? enough : below) = middle;
  }
  return enough;
}

}  // namespace

SmoothLaw dealt_out(SmoothLaw queries, double answers) {
  const double each = queries.classes / answers;
  if (each == 1) {
    queries.fan_in = [](double) { return 1.0; };
    return queries;
  }
  SmoothLaw law{.classes = answers, .weight = {}};
  law.dealt = std::make_shared<const SmoothLaw>(std::move(queries));
  law.fan_in = [each](double) { return each; };
  const auto one = [all = law.dealt, answers](const QueryAt& at) {
    return all->weight(at.rank + (at.place - 1) * answers);
  };
  const auto sum = [one, places = panel_rule(each, usual_panel_order)](double rank) {
    CompensatedSum all;
    for (std::size_t c = 0; c < places.size(); ++c) all.add(places.count[c] * one({rank, places.rank[c]}));
    return all.value();
  };
  const double first = sum(1);
  law.weight = [sum, first](double rank) { return sum(rank) / first; };
  law.query = [one, first](const QueryAt& at) { return one(at) / first; };
  return law;
}

SmoothLaw in_blocks(const SmoothLaw& law, Index block) {
  if (block == 1) return law;
  const double b = static_cast<double>(block);
  SmoothLaw blocks{.classes = law.classes / b, .weight = {}};
  blocks.fan_in = [b](double) { return b; };
  blocks.query = [weight = law.weight, b](const QueryAt& at) { return weight(b * (at.rank - 1) + at.place); };
  blocks.weight = [query = blocks.query, b](double rank) {
    double sum = 0;
    for (double place = 1; place <= b; ++place) sum += query({rank, place});
    return sum;
  };
  return blocks;
}

QueryNodes query_nodes(const SmoothLaw& law, const std::function<QuadratureRule(double)>& rule) {
  if (law.query) return {rule(law.classes), rule(law.queries(1))};
  return {rule(law.classes), {.rank = {1}, .log_rank = {0}, .count = {1}, .exact = true}};
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

QueryAt query_at(const SmoothLaw& law, double query) {
  if (law.dealt) {
    const double turn = std::floor((query - 1) / law.classes);
    return {query - turn * law.classes, turn + 1};
  }
  return {law.fan_in ? rank_at_sum(law.fan_in, law.classes, query) : std::ceil(query), 1};
}

std::pair<double, double> query_probabilities(const SmoothLaw& law) {
  const double total = weight_of_ranks(law, law.classes);
  if (!law.fan_in || law.query)
    return {law.probability({law.classes, law.queries(1)}, total), law.probability({}, total)};
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const double rank : panel_rule(law.classes, usual_panel_order).rank) {
    const double p = law.probability({rank}, total);
    least = std::min(least, p);
    most = std::max(most, p);
  }
  return {least, most};
}

bool likeliest_first(const SmoothLaw& law) {
  if (law.query) return false;
  constexpr double rounding = 1e-12;
  double before = std::numeric_limits<double>::infinity();
  for (const double rank : panel_rule(law.classes, usual_panel_order).rank) {
    const double here = law.probability({rank}, 1);
    if (here > before * (1 + rounding)) return false;
    before = here;
  }
  return true;
}

}  // namespace rarefact
