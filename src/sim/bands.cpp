#include <limits>

#include "core/compensated_sum.hpp"
#include "core/text.hpp"
#include "query/evaluate.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

namespace {

/// How often the classes occur: the factor of their probabilities; NaN if nothing says so.
double occurrences_of_all(const Experiment& experiment, const Spectrum& spectrum) {
  if (spectrum.occurrences > 0) return spectrum.occurrences;
  return experiment.data_mode == "dataset" ? experiment.data_parameters.number("size")
                                           : std::numeric_limits<double>::quiet_NaN();
}

/// The number of classes, most likely first, that occur more than x times, or x times too.
double classes_above(double x, bool or_as_often, double all, const Spectrum& spectrum) {
  const auto counts = [&](double probability) {
    double n = all * probability;
    // Counts of a table, divided by their sum.
    if (std::abs(n - std::round(n)) < 1e-9 * std::max(1.0, n)) n = std::round(n);
    return or_as_often ? n >= x : n > x;
  };
  if (spectrum.groups) {
    double classes = 0;
    for (std::size_t g = 0; g < spectrum.groups->size(); ++g)
      if (counts(spectrum.groups->probability[g])) classes += spectrum.groups->count[g];
    return classes;
  }
  const SmoothLaw& law = *spectrum.law;
  const double total = weight_of_ranks(law, law.classes);
  double above = 0, beyond = law.classes + 1;  // counts at `above`, and not at `beyond`
  while (beyond - above > 1) {
    const double middle = std::floor(above + (beyond - above) / 2);
    if (middle <= above || middle >= beyond) break;  // neighbouring doubles above 2^53
    (counts(law.probability(middle, total)) ? above : beyond) = middle;
  }
  return above;
}

RankRange range_of(const Band& band, const Experiment& experiment, const Spectrum& spectrum) {
  RankRange range{1, spectrum.classes};
  const double all = occurrences_of_all(experiment, spectrum);
  for (const BandBound& bound : bounds_of(band.condition)) {
    const double x = query::number_value(bound.number, {{"K", spectrum.classes}});
    if (std::isnan(x)) throw bad_input("run.bands.{}: {} is not a number", band.name, bound.number);
    if (!bound.of_rank && std::isnan(all))
      throw bad_input(
          "run.bands.{}: nothing says how often classes occur; expected classes counted in a file, "
          "data.mode = \"dataset\", or bounds of rank",
          band.name);
    const bool up = bound.sign != "<" && bound.sign != "<=", down = bound.sign != ">" && bound.sign != ">=",
               equal = bound.sign.ends_with("=");
    if (bound.of_rank) {
      if (up) range.first = std::max(range.first, equal ? std::ceil(x) : std::floor(x) + 1);
      if (down) range.last = std::min(range.last, equal ? std::floor(x) : std::ceil(x) - 1);
    } else {
      // Ranks ascend as occurrences descend.
      if (up) range.last = std::min(range.last, classes_above(x, equal, all, spectrum));
      if (down) range.first = std::max(range.first, classes_above(x, !equal, all, spectrum) + 1);
    }
  }
  if (range.first > range.last)
    throw bad_input("run.bands.{}: of {:.17g} classes none has {}", band.name, spectrum.classes,
                    band.condition);
  return range;
}

/// Calls f with a group, and the first and last class within it, from 1, of the classes of a band.
template <class F>
void for_pieces(const ClassBand& band, const Spectrum& spectrum, F f) {
  const ClassGroups& groups = *spectrum.groups;
  const ClassOrder order(spectrum);
  for (const RankRange& range : band.ranges) {
    if (!order.place_at.empty()) {
      std::vector<Index> places(order.place_at.begin() + static_cast<Index>(range.first) - 1,
                                order.place_at.begin() + static_cast<Index>(range.last));
      std::ranges::sort(places);
      for (std::size_t i = 0, end = 0; i < places.size(); i = end) {
        const std::size_t g = order.group_at(places[i]);
        while (end < places.size() && places[end] - places[i] == static_cast<Index>(end - i) &&
               static_cast<double>(places[end]) < order.place[g] + groups.count[g])
          ++end;
        f(g, static_cast<double>(places[i]) - order.place[g] + 1,
          static_cast<double>(places[end - 1]) - order.place[g] + 1, order.place[g]);
      }
      continue;
    }
    for (const std::size_t g : order.by_rank) {
      const double before = order.rank[g], first = std::max(range.first - before, 1.0),
                   last = std::min(range.last - before, groups.count[g]);
      if (first <= last) f(g, first, last, order.place[g]);
    }
  }
}

/// Calls f with every node of the classes of a band. Nodes are ranks up to rounding, and panels end between them.
template <class F>
void for_nodes(const ClassBand& band, const QuadratureRule& nodes, F f) {
  for (const RankRange& range : band.ranges)
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes.rank[i] > range.first - 0.5 && nodes.rank[i] < range.last + 0.5) f(i);
}

}  // namespace

std::vector<ClassBand> bands_of(const Experiment& experiment, const Spectrum& spectrum) {
  std::vector<ClassBand> bands;
  std::vector<std::pair<RankRange, std::string>> sorted;
  for (const Band& band : experiment.bands) {
    sorted.emplace_back(range_of(band, experiment, spectrum), band.name);
    bands.push_back({band.name, {sorted.back().first}});
  }
  if (bands.empty()) return bands;
  std::ranges::sort(sorted, {}, [](const auto& item) { return item.first.first; });
  ClassBand rest{remainder_band, {}};
  double end = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const RankRange& range = sorted[i].first;
    // Beyond 2^53 the next rank is the same number.
    if (range.first < end || (range.first == end && end + 1 > end))
      throw bad_input(
          "run.bands: {} and {} both have the class of rank {:.17g}; expected bands without common classes",
          sorted[i - 1].second, sorted[i].second, range.first);
    if (range.first > end + 1) rest.ranges.push_back({end + 1, range.first - 1});
    end = range.last;
  }
  if (end < spectrum.classes) rest.ranges.push_back({end + 1, spectrum.classes});
  if (!rest.ranges.empty()) bands.push_back(std::move(rest));
  return bands;
}

double mass_of(const ClassBand& band, const Spectrum& spectrum) {
  CompensatedSum mass;
  if (spectrum.groups) {
    for_pieces(band, spectrum, [&](std::size_t g, double first, double last, double) {
      mass.add((last - first + 1) * spectrum.groups->probability[g]);
    });
    return mass.value();
  }
  const SmoothLaw& law = *spectrum.law;
  const QuadratureRule nodes = panel_rule(law.classes, usual_panel_order, 0, cuts_of({band}));
  const double total = weight_of_ranks(law, law.classes);
  for_nodes(band, nodes,
            [&](std::size_t i) { mass.add(nodes.count[i] * law.weight(nodes.rank[i]) / total); });
  return mass.value();
}

std::vector<double> cuts_of(const std::vector<ClassBand>& bands) {
  std::vector<double> cuts;
  for (const ClassBand& band : bands) {
    for (const RankRange& range : band.ranges) {
      cuts.push_back(range.first - 1);
      cuts.push_back(range.last);
    }
  }
  std::ranges::sort(cuts);
  return cuts;
}

CellsToRows over_bands(const std::vector<Cell>& cells, const std::vector<ClassBand>& bands,
                       const Spectrum& spectrum) {
  // The cells of every group, in their order: one, one per class of a block, or one per class.
  std::vector<std::vector<std::size_t>> of_group(spectrum.groups->size());
  for (std::size_t c = 0; c < cells.size(); ++c) of_group[cells[c].group].push_back(c);
  std::vector<CellsToRows::Share> shares;
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const double classes = bands[b].classes();
    for_pieces(bands[b], spectrum, [&](std::size_t g, double first, double last, double) {
      const auto size = static_cast<double>(of_group[g].size());
      for (std::size_t j = 0; j < of_group[g].size(); ++j) {
        const auto up_to = [&](double end) {
          return std::floor((end - 1 - static_cast<double>(j)) / size) + 1;
        };
        const double members = up_to(last) - up_to(first - 1);
        if (members > 0) shares.push_back({b, of_group[g][j], members / classes});
      }
    });
  }
  return {bands.size(), std::move(shares)};
}

CellsToRows over_bands(const SampledClasses& sampled, const std::vector<ClassBand>& bands,
                       const Spectrum& spectrum) {
  std::vector<CellsToRows::Share> shares;
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const double classes = bands[b].classes();
    // Classes by number, from 0.
    const auto add = [&](double first, double last) {
      const auto begin = std::ranges::lower_bound(sampled.number, static_cast<Index>(first)),
                 end = std::ranges::upper_bound(sampled.number, static_cast<Index>(last));
      for (auto at = begin; at != end; ++at)
        shares.push_back({b, static_cast<std::size_t>(at - sampled.number.begin()), 1 / classes});
      const double others = last - first + 1 - static_cast<double>(end - begin);
      if (others > 0) shares.push_back({b, sampled.number.size(), others / classes});
    };
    if (spectrum.groups) {
      for_pieces(bands[b], spectrum, [&](std::size_t, double first, double last, double place) {
        add(place + first - 1, place + last - 1);
      });
    } else {
      for (const RankRange& range : bands[b].ranges) add(range.first - 1, range.last - 1);
    }
  }
  return {bands.size(), std::move(shares)};
}

CellsToRows over_bands(const QuadratureRule& nodes, std::size_t first, const std::vector<ClassBand>& bands) {
  std::vector<CellsToRows::Share> shares;
  for (std::size_t b = 0; b < bands.size(); ++b)
    for_nodes(bands[b], nodes, [&](std::size_t i) {
      shares.push_back({b, first + i, nodes.count[i] / bands[b].classes()});
    });
  return {bands.size(), std::move(shares)};
}

}  // namespace rarefact
