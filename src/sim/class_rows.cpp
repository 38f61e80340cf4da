#include "sim/class_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/answer_law.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// The groups, most frequent first; groups of equal frequency up to rounding keep their order.
std::vector<std::size_t> by_frequency(const ClassGroups& groups) {
  constexpr double rounding = 1e-12;
  const std::vector<double>& p = groups.probability;
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::ranges::is_sorted(p, [](double next, double here) { return next > here * (1 + rounding); }))
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t g) { return p[g]; });
  return order;
}

/// The number of classes before each group.
struct Before {
  std::vector<double> place, rank;  ///< in the order of the spectrum, and by frequency
};
Before before_groups(const ClassGroups& groups) {
  Before before{groups.count, groups.count};
  std::exclusive_scan(groups.count.begin(), groups.count.end(), before.place.begin(), 0.0);
  double so_far = 0;
  for (const std::size_t g : by_frequency(groups)) {
    before.rank[g] = so_far;
    so_far += groups.count[g];
  }
  return before;
}

/// The least rank such that the classes up to it have at least this mass.
double rank_at_mass(const ClassGroups& groups, double mass) {
  double classes = 0, so_far = 0;
  for (const std::size_t i : by_frequency(groups)) {
    const double p = groups.probability[i], whole = groups.count[i] * p;
    if (so_far + whole >= mass)
      return classes + std::clamp(std::ceil((mass - so_far) / p), 1.0, groups.count[i]);
    classes += groups.count[i];
    so_far += whole;
  }
  return classes;
}

/// The same for queries that are ordered by their answers.
double query_at_mass(const SmoothLaw& law, double mass) {
  const double answer = rank_at_mass(law, mass), total = weight_of_ranks(law, law.classes);
  const double before = answer > 1 ? weight_of_ranks(law, answer - 1) / total : 0;
  const double share = law.probability(answer, total);
  return (answer > 1 ? queries_of_ranks(law, answer - 1) : 0) +
         std::clamp(std::ceil((mass - before) / share), 1.0, law.queries(answer));
}

/// The rank of the answer of every query type of a smooth law that is written out; each unit is an answer
/// with its queries.
std::vector<double> answers_of_types(const AnswerLaw& law) {
  std::vector<double> of_unit, of_type;
  double before = 0;
  for (const ComponentGroup& unit : law.units->groups) {
    of_unit.push_back(before + (unit.count + 1) / 2);
    before += unit.count;
  }
  for (std::size_t g = 0; g < of_unit.size(); ++g)
    of_type.push_back(of_unit[law.type.empty() ? g : law.type[g]]);
  return of_type;
}

bool smooth_answers(const Spectrum& spectrum) {
  return spectrum.answers && spectrum.law;
}

double rank_of(const ClassAt& at, const Spectrum& spectrum) {
  if (at.kind == ClassAt::Kind::last) return spectrum.classes;
  if (at.kind == ClassAt::Kind::percent) {
    const double mass = at.value / 100;
    if (spectrum.groups) return rank_at_mass(*spectrum.groups, mass);
    const SmoothLaw& law = *spectrum.law;
    return spectrum.answers ? query_at_mass(law, mass) : rank_at_mass(law, mass);
  }
  if (spectrum.table.row.empty()) return at.value;
  const auto found = std::ranges::find(spectrum.table.row, static_cast<Index>(at.value) - 1);
  return static_cast<double>(found - spectrum.table.row.begin()) + 1;
}

}  // namespace

std::vector<RankAt> ranks_among(const std::vector<double>& count, const std::vector<double>& ranks) {
  std::vector<double> classes;
  for (const double n : count) classes.push_back((classes.empty() ? 0 : classes.back()) + n);
  std::vector<RankAt> places;
  for (const double rank : ranks) {
    const auto found = std::lower_bound(classes.begin(), classes.end() - 1, rank);
    places.push_back({static_cast<std::size_t>(found - classes.begin()),
                      found == classes.begin() ? rank : rank - *(found - 1)});
  }
  return places;
}

void ClassRows::add(double first, double rank, double classes, double p) {
  first_class.push_back(first);
  log_rank.push_back(std::log(rank));
  count.push_back(classes);
  probability.push_back(p);
}

std::vector<double> ClassRows::places() const {
  std::vector<double> all;
  for (const double first : first_class)
    for (Index c = 0; c < width; ++c) all.push_back(first + static_cast<double>(c));
  return all;
}

std::vector<double> ClassRows::ranks() const {
  if (!answer_rank.empty()) return answer_rank;
  std::vector<double> all = places();
  for (std::size_t i = 0; groups && i < size(); ++i) all[i] += (count[i] - 1) / 2;
  return all;
}

ClassRows group_rows(const ClassGroups& groups) {
  ClassRows rows;
  rows.groups = true;
  const auto [place, rank] = before_groups(groups);
  for (std::size_t g = 0; g < groups.size(); ++g)
    rows.add(place[g] + 1, rank[g] + (groups.count[g] + 1) / 2, groups.count[g], groups.probability[g]);
  return rows;
}

ClassRows group_rows(const Spectrum& spectrum) {
  ClassRows rows = group_rows(*spectrum.groups);
  if (smooth_answers(spectrum)) rows.answer_rank = answers_of_types(*spectrum.answers);
  return rows;
}

ClassRows rows_at(const std::vector<double>& ranks, const Spectrum& spectrum) {
  ClassRows rows;
  if (!spectrum.groups) {
    const SmoothLaw& law = *spectrum.law;
    const double total = weight_of_ranks(law, law.classes);
    for (const double rank : ranks) {
      const double answer = spectrum.answers ? answer_of_query(law, rank) : rank;
      if (spectrum.answers) rows.answer_rank.push_back(answer);
      rows.add(rank, rank, 1, law.probability(answer, total));
    }
    return rows;
  }
  std::vector<double> answers, count;
  if (smooth_answers(spectrum)) answers = answers_of_types(*spectrum.answers);
  const ClassGroups& groups = *spectrum.groups;
  const std::vector<std::size_t> order = by_frequency(groups);
  for (const std::size_t g : order) count.push_back(groups.count[g]);
  const auto [place, before] = before_groups(groups);
  const std::vector<RankAt> found = ranks_among(count, ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t g = order[found[i].group];
    rows.add(ranks[i] + place[g] - before[g], ranks[i], 1, groups.probability[g]);
    if (!answers.empty()) rows.answer_rank.push_back(answers[g]);
  }
  return rows;
}

namespace {

ClassRows node_rows(const QuadratureRule& rule, Index width, const SmoothLaw& law) {
  ClassRows rows;
  rows.width = width;
  const double total = weight_of_ranks(law, law.classes), b = static_cast<double>(width);
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const double first = b * (rule.rank[i] - 1) + 1;
    double mass = 0;
    for (double c = 0; c < b; ++c) mass += law.weight(first + c) / total;
    rows.add(first, first + (b - 1) / 2, b * rule.count[i], mass / b);
  }
  return rows;
}

ClassRows answer_rows(const QuadratureRule& nodes, const SmoothLaw& law) {
  const double total = weight_of_ranks(law, law.classes);
  const auto probability = [&](std::size_t i) { return law.probability(nodes.rank[i], total); };
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Equal probabilities may differ by rounding and keep the order of the answers.
  if (!likeliest_first(law)) std::ranges::stable_sort(order, std::greater<>(), probability);
  ClassRows rows;
  double before = 0;
  for (const std::size_t i : order) {
    const double queries = nodes.count[i] * law.queries(nodes.rank[i]);
    rows.add(before + 1, before + (queries + 1) / 2, queries, probability(i));
    rows.answer_rank.push_back(nodes.rank[i]);
    before += queries;
  }
  return rows;
}

/// Each node the nearest item above the one before; nodes of a panel have an item between any two. The counts become those
/// of the interpolating polynomial of the moved nodes of a panel, so that sums stay what they were.
void move_to_whole(QuadratureRule& rule) {
  const std::vector<double> from = rule.rank, number = rule.count;
  double before = 0;
  for (double& rank : rule.rank) before = rank = std::max(before + 1, std::round(rank));
  const auto panel = [&](std::size_t i) { return std::ilogb((from[i] + 0.5) / (2 * usual_panel_order + 1)); };
  for (std::size_t begin = 0, end = 0; begin < rule.size(); begin = end) {
    while (end < rule.size() && panel(end) == panel(begin) && !(end > begin && end + 1 == rule.size())) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      rule.count[i] = 0;
      for (std::size_t j = begin; j < end; ++j) {
        double part = number[j];
        for (std::size_t l = begin; l < end; ++l) {
          if (l != i) part *= (from[j] - rule.rank[l]) / (rule.rank[i] - rule.rank[l]);
        }
        rule.count[i] += part;
      }
    }
  }
}

/// Rows of answers, placed among the queries that are written out.
void place_among_queries(const Spectrum& spectrum, ClassRows& rows) {
  const AnswerLaw& law = *spectrum.answers;
  std::vector<double> count;
  std::vector<std::size_t> type_of_unit(law.units->groups.size());
  for (const ComponentGroup& unit : law.units->groups) count.push_back(unit.count);
  for (std::size_t g = 0; g < type_of_unit.size(); ++g) type_of_unit[law.type.empty() ? g : law.type[g]] = g;
  const auto [place, before] = before_groups(*spectrum.groups);
  const std::vector<RankAt> answers = ranks_among(count, rows.answer_rank);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::size_t g = type_of_unit[answers[row].group];
    rows.first_class[row] = place[g] + 1;
    rows.log_rank[row] = std::log(before[g] + (spectrum.groups->count[g] + 1) / 2);
  }
}

}  // namespace

ClassRows panel_rows(const Spectrum& spectrum, Index width) {
  const SmoothLaw& law = *spectrum.law;
  QuadratureRule rule = panel_rule(law.classes / static_cast<double>(width), usual_panel_order);
  if (spectrum.groups) move_to_whole(rule);
  if (!spectrum.answers) return node_rows(rule, width, law);
  ClassRows rows = answer_rows(rule, law);
  if (spectrum.groups) place_among_queries(spectrum, rows);
  return rows;
}

std::vector<double> requested_ranks(const ClassRule& rule, const Spectrum& spectrum) {
  std::vector<double> ranks;
  if (rule.kind == ClassRule::Kind::all) {
    const ClassGroups groups = spectrum.groups.value_or(ClassGroups{{spectrum.classes}, {1}});
    const std::vector<double> before = before_groups(groups).rank;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (double i = 1; i <= groups.count[g]; ++i) ranks.push_back(before[g] + i);
    }
    return ranks;
  }
  for (const ClassAt& at : rule.list) ranks.push_back(rank_of(at, spectrum));
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::vector<Index> table_rows(const ClassRows& rows, const Spectrum& spectrum) {
  std::vector<Index> found;
  for (std::size_t i = 0; i < rows.size() && !spectrum.table.row.empty(); ++i)
    found.push_back(rows.count[i] == 1 ? spectrum.table.row[static_cast<std::size_t>(rows.first_class[i]) - 1]
                                       : -1);
  return found;
}

CellsToRows::CellsToRows(const std::vector<Cell>& cells, const ClassRows& rows) : rows_(rows.size()) {
  // Answer laws list queries in their own order; here they are sorted by group.
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::ranges::is_sorted(cells, {}, &Cell::group))
    std::ranges::stable_sort(order, {}, [&](std::size_t c) { return cells[c].group; });
  // Of every group its cells (one, as many as a block has classes, or one per class) and its classes.
  std::vector<std::size_t> first;
  std::vector<double> classes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || cells[order[i]].group != cells[order[i - 1]].group) {
      first.push_back(i);
      classes.push_back(0);
    }
    classes.back() += cells[order[i]].classes;
  }
  first.push_back(order.size());
  // A share of exactly 1 preserves the last bit if a group is one cell.
  for (std::size_t g = 0; rows.groups && g < classes.size(); ++g) {
    for (std::size_t i = first[g]; i < first[g + 1]; ++i)
      shares_.push_back({g, order[i], cells[order[i]].classes / classes[g]});
  }
  if (rows.groups) return;
  const auto width = static_cast<std::size_t>(rows.width);
  for (const auto& [group, rank] : ranks_among(classes, rows.places())) {
    const auto within =
        static_cast<std::size_t>(std::fmod(rank - 1, static_cast<double>(first[group + 1] - first[group])));
    shares_.push_back({shares_.size() / width, order[first[group] + within], 1 / static_cast<double>(width)});
  }
}

CellsToRows::CellsToRows(const SampledClasses& met, const ClassRows& rows) : rows_(rows.size()) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double first = rows.first_class[row] - 1,
                 classes = rows.groups ? rows.count[row] : static_cast<double>(rows.width);
    const auto begin = std::ranges::lower_bound(met.number, static_cast<Index>(first)),
               end = std::ranges::lower_bound(met.number, static_cast<Index>(first + classes));
    for (auto at = begin; at != end; ++at)
      shares_.push_back({row, static_cast<std::size_t>(at - met.number.begin()), 1 / classes});
    const double others = classes - static_cast<double>(end - begin);
    if (others > 0) shares_.push_back({row, met.number.size(), others / classes});
  }
}

CellsToRows::CellsToRows(std::size_t first, const ClassRows& rows) : rows_(rows.size()) {
  const auto width = static_cast<std::size_t>(rows.width);
  for (std::size_t i = 0; i < rows.size() * width; ++i)
    shares_.push_back({i / width, first + i, 1 / static_cast<double>(width)});
}

}  // namespace rarefact
