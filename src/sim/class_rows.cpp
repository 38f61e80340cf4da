#include "sim/class_rows.hpp"

#include <cmath>

#include "core/sorted_order.hpp"
#include "core/transform.hpp"
#include "model/answer_law.hpp"

namespace rarefact {

namespace {

constexpr std::size_t max_group_rows = 4096;

/// The group of a rank and the rank within it, from 1.
struct RankAt {
  std::size_t group;
  double rank;
};
std::vector<RankAt> ranks_among(const std::vector<double>& count, const std::vector<double>& ranks) {
  std::vector<double> classes(count);
  std::partial_sum(classes.begin(), classes.end(), classes.begin());
  std::vector<RankAt> places;
  for (const double rank : ranks) {
    const auto found = std::lower_bound(classes.begin(), classes.end() - 1, rank);
    places.push_back({static_cast<std::size_t>(found - classes.begin()),
                      found == classes.begin() ? rank : rank - *(found - 1)});
  }
  return places;
}

/// The least rank such that the classes up to it have at least this mass.
double rank_at_mass(const ClassGroups& groups, double mass) {
  double classes = 0, so_far = 0;
  for (const std::size_t i : ClassOrder(groups).by_rank) {
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

double rank_of(const ClassAt& at, const Spectrum& spectrum) {
  if (at.kind == ClassAt::Kind::last) return spectrum.classes;
  if (at.kind == ClassAt::Kind::percent) {
    const double mass = at.value / 100;
    if (spectrum.groups) return rank_at_mass(*spectrum.groups, mass);
    return spectrum.ranks_answers() ? query_at_mass(*spectrum.law, mass) : rank_at_mass(*spectrum.law, mass);
  }
  if (spectrum.table.row.empty()) return at.value;
  const auto found = std::ranges::find(spectrum.table.row, static_cast<Index>(at.value) - 1);
  return static_cast<double>(found - spectrum.table.row.begin()) + 1;
}

/// Requested ranks: all, in the order of the spectrum, or those of a list, ascending without repetition.
std::vector<double> requested_ranks(const ClassRule& rule, const Spectrum& spectrum) {
  std::vector<double> ranks;
  if (rule.kind == ClassRule::Kind::all) {
    if (spectrum.groups) {
      const ClassOrder order(spectrum);
      ranks.resize(order.place_at.size());
      for (std::size_t i = 0; i < ranks.size(); ++i)
        ranks[spectrum.answers->number[order.place_at[i]]] = static_cast<double>(i + 1);
      if (!ranks.empty()) return ranks;
    }
    const ClassGroups groups = spectrum.groups.value_or(ClassGroups{{spectrum.classes}, {1}});
    const std::vector<double> before = ClassOrder(groups).rank;
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (double i = 1; i <= groups.count[g]; ++i) ranks.push_back(before[g] + i);
    return ranks;
  }
  for (const ClassAt& at : rule.list) ranks.push_back(rank_of(at, spectrum));
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

ClassRows group_rows(const ClassGroups& groups) {
  ClassRows rows;
  rows.groups = true;
  const ClassOrder order(groups);
  for (std::size_t g = 0; g < groups.size(); ++g)
    rows.push_back({order.place[g] + 1, std::log(order.rank[g] + (groups.count[g] + 1) / 2), groups.count[g],
                    groups.probability[g], g});
  return rows;
}

/// A row for the class of each rank, of a spectrum that is written out or of a law.
ClassRows rows_at(const std::vector<double>& ranks, const Spectrum& spectrum) {
  ClassRows rows;
  const ClassGroups& groups = *spectrum.groups;
  const ClassOrder order(spectrum);
  if (!order.place_at.empty()) {
    for (const double rank : ranks) {
      const Index place = order.place_at[static_cast<std::size_t>(rank) - 1];
      const std::size_t g = order.group_at(place);
      rows.push_back({static_cast<double>(place + 1), std::log(rank), 1, groups.probability[g], g});
    }
    return rows;
  }
  const auto count = mapped(order.by_rank, [&](std::size_t g) { return groups.count[g]; });
  const std::vector<RankAt> found = ranks_among(count, ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::size_t g = order.by_rank[found[i].group];
    rows.push_back(
        {ranks[i] + order.place[g] - order.rank[g], std::log(ranks[i]), 1, groups.probability[g], g});
  }
  return rows;
}
ClassRows rows_at(const std::vector<double>& ranks, const SmoothLaw& law, bool answers) {
  ClassRows rows;
  const double total = weight_of_ranks(law, law.classes);
  for (const double rank : ranks) {
    const double answer = answers ? answer_of_query(law, rank) : rank;
    rows.push_back({rank, std::log(rank), 1, law.probability(answer, total), 0, answers ? answer : 0});
  }
  return rows;
}

/// Sets the ranks of the answers of query rows in a smooth law; each component is an answer with its queries.
void rank_answers(const AnswerLaw& law, ClassRows& rows) {
  const std::vector<double> count = mapped(law.components->groups, &ComponentGroup::count);
  std::vector<double> before(count);
  std::exclusive_scan(before.begin(), before.end(), before.begin(), 0.0);
  for (ClassRow& row : rows) {
    const std::size_t component = law.type[row.group];
    row.answer_rank = before[component] + (count[component] + 1) / 2;
  }
}

ClassRows node_rows(const QuadratureRule& rule, const SmoothLaw& law) {
  ClassRows rows;
  const double total = weight_of_ranks(law, law.classes);
  for (std::size_t i = 0; i < rule.size(); ++i)
    rows.push_back({rule.rank[i], std::log(rule.rank[i]), rule.count[i], law.weight(rule.rank[i]) / total});
  return rows;
}

ClassRows answer_rows(const QuadratureRule& nodes, const SmoothLaw& law) {
  const double total = weight_of_ranks(law, law.classes);
  const auto probability = [&](std::size_t i) { return law.probability(nodes.rank[i], total); };
  // Equal probabilities may differ by rounding and keep the order of the answers.
  const auto key = [&, sorted = likeliest_first(law)](std::size_t i) { return sorted ? 0 : probability(i); };
  ClassRows rows;
  double before = 0;
  for (const std::size_t i : sorted_order(nodes.size(), std::greater(), key)) {
    const double queries = nodes.count[i] * law.queries(nodes.rank[i]);
    rows.push_back(
        {before + 1, std::log(before + (queries + 1) / 2), queries, probability(i), 0, nodes.rank[i]});
    before += queries;
  }
  return rows;
}

/// Moves each node to the nearest whole rank above the node before; nodes of a panel have a whole rank
/// between any two. Counts become those of the interpolating polynomial of the panel's moved nodes, so that
/// sums do not change.
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
        for (std::size_t l = begin; l < end; ++l)
          if (l != i) part *= (from[j] - rule.rank[l]) / (rule.rank[i] - rule.rank[l]);
        rule.count[i] += part;
      }
    }
  }
}

/// Replaces rows of answers by rows of their queries, which are written out.
void place_among_queries(const Spectrum& spectrum, ClassRows& rows) {
  const AnswerLaw& law = *spectrum.answers;
  const std::vector<Index> group_of_component = groups_of_types(law);  // each has one query type
  const ClassOrder order(*spectrum.groups);
  const auto answers = ranks_among(mapped(law.components->groups, &ComponentGroup::count),
                                   mapped(rows, &ClassRow::answer_rank));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto g = rows[i].group = static_cast<std::size_t>(group_of_component[answers[i].group]);
    rows[i].first_class = order.place[g] + 1;
    rows[i].log_rank = std::log(order.rank[g] + (spectrum.groups->count[g] + 1) / 2);
  }
}

ClassRows panel_rows(const Spectrum& spectrum) {
  const SmoothLaw& law = *spectrum.law;
  QuadratureRule rule = panel_rule(law.classes, usual_panel_order);
  if (spectrum.groups) move_to_whole(rule);
  if (!spectrum.ranks_answers()) return node_rows(rule, law);
  ClassRows rows = answer_rows(rule, law);
  if (spectrum.groups) place_among_queries(spectrum, rows);
  return rows;
}

}  // namespace

ClassOrder::ClassOrder(const ClassGroups& groups) : place(groups.count), rank(groups.count) {
  constexpr double rounding = 1e-12;
  const std::vector<double>& p = groups.probability;
  const bool sorted =
      std::ranges::is_sorted(p, [](double next, double here) { return next > here * (1 + rounding); });
  by_rank = sorted_order(groups.size(), std::greater(), [&](std::size_t g) { return sorted ? 0 : p[g]; });
  std::exclusive_scan(place.begin(), place.end(), place.begin(), 0.0);
  double so_far = 0;
  for (const std::size_t g : by_rank) so_far += std::exchange(rank[g], so_far);
}

ClassOrder::ClassOrder(const Spectrum& spectrum) : ClassOrder(*spectrum.groups) {
  if (!spectrum.answers || spectrum.answers->number.empty()) return;
  const auto& [count, probability] = *spectrum.groups;
  place_at.resize(spectrum.answers->number.size());
  std::iota(place_at.begin(), place_at.end(), Index{0});
  for (std::size_t g = 0, end = 0; g < count.size(); g = end) {
    while (end < count.size() && probability[end] == probability[g]) ++end;
    const auto to = static_cast<Index>(place[end - 1] + count[end - 1]);
    std::ranges::sort(place_at.begin() + static_cast<Index>(place[g]), place_at.begin() + to, {},
                      [&](Index at) { return spectrum.answers->number[at]; });
  }
}

std::size_t ClassOrder::group_at(Index at) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(place, static_cast<double>(at)) - place.begin()) -
         1;
}

std::vector<double> ClassRows::ranks() const {
  return mapped(*this, [this](const ClassRow& row) {
    return row.answer_rank > 0 ? row.answer_rank : row.first_class + (groups ? (row.count - 1) / 2 : 0);
  });
}

void ClassRows::show(Run& run) const {
  run.class_count = mapped(*this, &ClassRow::count);
  run.class_probability = mapped(*this, &ClassRow::probability);
  run.class_log_rank = mapped(*this, &ClassRow::log_rank);
}

bool shows_groups(const Spectrum& spectrum) {
  return !spectrum.law || (spectrum.groups && spectrum.groups->size() <= max_group_rows);
}

ClassRows rows_of(const Experiment& experiment, const Spectrum& spectrum) {
  const bool requested = experiment.classes.kind != ClassRule::Kind::groups;
  if (requested && !spectrum.groups)
    return rows_at(requested_ranks(experiment.classes, spectrum), *spectrum.law, spectrum.ranks_answers());
  if (!requested && !shows_groups(spectrum))
    return experiment.sampled() && !spectrum.groups ? group_rows(dyadic_groups(*spectrum.law))
                                                    : panel_rows(spectrum);
  ClassRows rows = requested ? rows_at(requested_ranks(experiment.classes, spectrum), spectrum)
                             : group_rows(*spectrum.groups);
  if (spectrum.ranks_answers()) rank_answers(*spectrum.answers, rows);
  return rows;
}

std::vector<Index> table_rows(const ClassRows& rows, const Spectrum& spectrum) {
  const std::vector<Index>& table = spectrum.table.row;
  if (table.empty()) return {};
  const bool by_place = !spectrum.answers || spectrum.answers->number.empty();
  return mapped(rows, [&](const ClassRow& row) -> Index {
    if (row.count != 1) return -1;
    const Index place = static_cast<Index>(row.first_class) - 1;
    return table[by_place ? place : spectrum.answers->number[place]];
  });
}

CellsToRows::CellsToRows(const std::vector<Cell>& cells, const ClassRows& rows) : rows_(rows.size()) {
  // Answer laws list queries in their own order; here they are sorted by group.
  const std::vector<std::size_t> order =
      sorted_order(cells.size(), std::less(), [&](std::size_t c) { return cells[c].group; });
  // For every group: its cells (one, one per class of a block, or one per class) and its classes.
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
  // A share of exactly 1 keeps the last bit of groups with one cell.
  for (std::size_t g = 0; rows.groups && g < classes.size(); ++g) {
    for (std::size_t i = first[g]; i < first[g + 1]; ++i)
      shares_.push_back({g, order[i], cells[order[i]].classes / classes[g]});
  }
  if (rows.groups) return;
  for (const auto& [group, rank] : ranks_among(classes, mapped(rows, &ClassRow::first_class))) {
    const auto within =
        static_cast<std::size_t>(std::fmod(rank - 1, static_cast<double>(first[group + 1] - first[group])));
    shares_.push_back({shares_.size(), order[first[group] + within], 1});
  }
}

CellsToRows::CellsToRows(const SampledClasses& sampled, const ClassRows& rows) : rows_(rows.size()) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double first = rows[row].first_class - 1, classes = rows.groups ? rows[row].count : 1;
    const auto begin = std::ranges::lower_bound(sampled.number, static_cast<Index>(first)),
               end = std::ranges::lower_bound(sampled.number, static_cast<Index>(first + classes));
    for (auto at = begin; at != end; ++at)
      shares_.push_back({row, static_cast<std::size_t>(at - sampled.number.begin()), 1 / classes});
    const double others = classes - static_cast<double>(end - begin);
    if (others > 0) shares_.push_back({row, sampled.number.size(), others / classes});
  }
}

CellsToRows::CellsToRows(std::size_t rows) : rows_(rows) {
  for (std::size_t i = 0; i < rows; ++i) shares_.push_back({i, 0, 1});
}

CellsToRows::CellsToRows(std::size_t first, const ClassRows& rows) : rows_(rows.size()) {
  for (std::size_t i = 0; i < rows.size(); ++i) shares_.push_back({i, first + i, 1});
}

}  // namespace rarefact
