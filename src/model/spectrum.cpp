#include "model/spectrum.hpp"

#include <fmt/format.h>

#include "core/compensated_sum.hpp"
#include "core/sorted_order.hpp"

namespace rarefact {

Parameter count_parameter() {
  return {.name = "count",
          .kind = Kind::count,
          .meaning = "number of classes K",
          .legal = {2, max_classes},
          .symbol = "K"};
}

Parameter exponent_parameter(const std::string& meaning) {
  return {.name = "exponent", .meaning = meaning, .legal = {.low = 0, .high_open = true}, .symbol = "s"};
}

double ClassGroups::total() const {
  CompensatedSum sum;
  for (const double n : count) sum.add(n);
  return sum.value();
}

std::vector<Index> ClassGroups::group_of_each() const {
  std::vector<Index> groups;
  for (std::size_t g = 0; g < size(); ++g)
    groups.insert(groups.end(), static_cast<std::size_t>(count[g]), static_cast<Index>(g));
  return groups;
}

InputError too_small(const std::string& what) {
  return InputError(
      fmt::format("{} below {:.2g}, the smallest normal number", what, std::numeric_limits<double>::min()));
}

ClassGroups normalised(const std::vector<double>& count, const std::vector<double>& weight) {
  // By a power of two, which rounds nothing: the sum of large weights could overflow.
  const int exponent = -std::ilogb(std::ranges::max(weight));
  CompensatedSum mass;
  for (std::size_t i = 0; i < count.size(); ++i) mass.add(count[i] * std::ldexp(weight[i], exponent));
  ClassGroups groups;
  for (std::size_t i = 0; i < count.size(); ++i) {
    const double probability = std::ldexp(weight[i], exponent) / mass.value();
    if (!is_normal(probability))
      throw too_small(fmt::format("the classes of rank {} have a probability", i + 1));
    if (!groups.probability.empty() && groups.probability.back() == probability) {
      groups.count.back() += count[i];
    } else {
      groups.count.push_back(count[i]);
      groups.probability.push_back(probability);
    }
  }
  return groups;
}

namespace {

ClassGroups uniform(const ParameterValues& parameters, const CountReader&) {
  const double count = parameters.number("count");
  return {{count}, {1 / count}};
}

/// βK rounded to a whole number of head classes, or 0 if it is not whole to rounding or leaves head or tail
/// empty.
double head_classes(double head_fraction, double count) {
  const double head = head_fraction * count, whole = std::round(head);
  // β as typed and the product are each rounded, so 0.3 * 10 is 3 only up to rounding.
  const bool is_whole = std::abs(head - whole) <= 4 * std::numeric_limits<double>::epsilon() * head;
  return is_whole && whole >= 1 && whole <= count - 1 ? whole : 0;
}

/// The K nearest to `count` for which βK is whole; 0 if none is found among the nearest million head sizes.
double nearest_legal_count(double head_fraction, double count) {
  const double below = std::floor(head_fraction * count);
  for (double step = 0; step < 1e6; ++step) {
    const double lower = std::round((below - step) / head_fraction);
    const double upper = std::round((below + 1 + step) / head_fraction);
    const bool lower_legal = lower >= 2 && head_classes(head_fraction, lower) > 0;
    const bool upper_legal = head_classes(head_fraction, upper) > 0;
    if (lower_legal && (!upper_legal || count - lower <= upper - count)) return lower;
    if (upper_legal) return upper;
  }
  return 0;
}

ClassGroups two_level(const ParameterValues& parameters, const CountReader&) {
  const double count = parameters.number("count"), head_fraction = parameters.number("head_fraction");
  const double head_mass = parameters.number("head_mass");
  const double head = head_classes(head_fraction, count);
  if (head == 0) {
    const double nearest = nearest_legal_count(head_fraction, count);
    throw InputError(
        fmt::format("head_fraction {} of {} classes is {} head classes, which must be an integer from 1 "
                    "to count - 1{}",
                    head_fraction, count, head_fraction * count,
                    nearest > 0 ? fmt::format("; the nearest legal count is {}", nearest) : ""));
  }
  const double in_head = head_mass / head, in_tail = (1 - head_mass) / (count - head);
  // Equal up to rounding: one group, as for every other spectrum.
  if (std::abs(in_head - in_tail) <= 4 * std::numeric_limits<double>::epsilon() * in_head) {
    return {{count}, {1 / count}};
  }
  return {{head, count - head}, {in_head, in_tail}};
}

ClassGroups grouped_power_law(const ParameterValues& parameters, const CountReader&) {
  const double groups = parameters.number("groups"), group_size = parameters.number("group_size");
  const double exponent = parameters.number("exponent");
  if (groups * group_size < 2)
    throw InputError("one group of one class leaves nothing to learn; give at least 2 classes");
  std::vector<double> weight(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < weight.size(); ++i) {
    weight[i] = std::pow(static_cast<double>(i + 1), -exponent) / group_size;
  }
  return normalised(std::vector<double>(weight.size(), group_size), weight);
}

ClassGroups dyadic(const ParameterValues& parameters, const CountReader&) {
  const int levels = static_cast<int>(parameters.number("levels"));
  std::vector<double> count = {1}, weight = {1};
  for (int g = 1; g <= levels; ++g) {
    count.push_back(std::ldexp(1, g - 1));
    weight.push_back(std::ldexp(1, -g));  // 2^(m-g) up to the common factor 2^m
  }
  return normalised(count, weight);
}

/// Problems for rows without a positive finite count, at most ten.
std::vector<Problem> illegal_counts(const std::vector<double>& counts, const std::string& path,
                                    const std::string& column) {
  constexpr std::size_t shown = 10;
  std::vector<Problem> problems;
  std::size_t illegal = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    if (counts[row] > 0 && std::isfinite(counts[row])) continue;
    if (++illegal > shown) continue;
    problems.push_back({path, 0, 0,
                        fmt::format("row {} of column \"{}\" is {}; a count must be positive and finite",
                                    row + 1, column, counts[row])});
  }
  if (illegal > shown) problems.push_back({path, 0, 0, fmt::format("{} more such rows", illegal - shown)});
  if (counts.size() < 2) {
    problems.push_back(
        {path, 0, 0,
         fmt::format("column \"{}\" has {} rows; at least 2 classes are needed", column, counts.size())});
  }
  return problems;
}

ClassGroups from_table(const ParameterValues& parameters, const CountReader& reader) {
  const std::string &path = parameters.text("path"), &column = parameters.text("column");
  std::vector<double> counts = reader(path, column).count;
  if (const auto problems = illegal_counts(counts, path, column); !problems.empty())
    throw InputError(problems);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  try {
    return normalised(std::vector<double>(counts.size(), 1.0), counts);
  } catch (const InputError& error) {
    throw InputError(
        {{path, 0, 0,
          fmt::format("the least count is {:g}: {}", counts.back(), error.problems().front().message)}});
  }
}

/// Rows sorted by count; equal counts in the order of the table.
TableRows rows_by_count(const ParameterValues& parameters, const CountReader& reader) {
  CountTable table = reader(parameters.text("path"), parameters.text("column"));
  const auto count = [&](Index row) { return table.count[row]; };
  const double all = std::accumulate(table.count.begin(), table.count.end(), 0.0);
  return {sorted_order(std::ssize(table.count), std::greater(), count), std::move(table.label), all};
}

Parameter fraction_parameter(const std::string& name, const std::string& meaning) {
  return {.name = name, .meaning = meaning, .legal = {0, 1, true, true}};
}

}  // namespace

const std::vector<SpectrumRow>& spectrum_catalogue() {
  static const std::vector<SpectrumRow> rows = [] {
    const std::vector<SpectrumRow> smooth = smooth_rows();
    std::vector<SpectrumRow> all = {
        {{"uniform", "all classes equally likely", "p_k = 1/K", "", {count_parameter()}}, uniform},
        {{"two_level",
          "a head of few likely classes and a tail, each uniform; a head less likely than the tail still comes first",
          "p_k = α_h/(βK) for the first βK classes, (1-α_h)/((1-β)K) for the rest",
          "wang2025, Assumption 5.2",
          {count_parameter(),
           fraction_parameter("head_fraction", "fraction β of classes in the head; βK must be whole"),
           fraction_parameter("head_mass", "probability α_h of the head as a whole")}},
         two_level},
        {{"grouped_power_law",
          "groups of equally likely classes, the groups' masses a power law",
          "p_k = (i^-s / Σ_j j^-s) / C for the C classes of group i = 1..M; K = MC",
          "li2026",
          {{.name = "groups",
            .kind = Kind::integer,
            .meaning = "number of groups, M",
            .legal = {1, max_groups},
            .symbol = "M"},
           {.name = "group_size",
            .kind = Kind::count,
            .meaning = "classes per group, C",
            .legal = {1, max_classes},
            .symbol = "C"},
           exponent_parameter("exponent s of the groups' masses; 0 is uniform")}},
         grouped_power_law},
        {{"dyadic",
          "twice as many classes half as likely, level after level",
          "p_k ∝ 2^(m-g); group 0 has 1 class, group g = 1..m has 2^(g-1); K = 2^m",
          "wang2025, section 4.3",
          {{.name = "levels",
            .kind = Kind::integer,
            .meaning = "number of levels m; K = 2^m",
            .legal = {1, 996},
            .symbol = "m"}}},
         dyadic},
        {{"product",
          "pairs of a subject and a relation, for queries that are sums of attributes; equally likely values of an "
          "attribute make groups, which may be equally likely themselves",
          "p ∝ i^-a_S j^-a_R, i = 1..S, j = 1..R; K = SR", "li2026c", attribute_parameters()},
         [](const ParameterValues& parameters, const CountReader&) {
           return groups_of(attribute_grid(parameters));
         },
         nullptr,
         nullptr,
         attribute_grid},
        {{"file",
          "counts read from a table, in any order; classes with equal counts form one group",
          "p_k = count_k / Σ_j count_j",
          "",
          {{.name = "path",
            .kind = Kind::path,
            .meaning = "table of counts, one class a row, relative to the experiment file"},
           {.name = "column",
            .kind = Kind::column,
            .meaning = "column with the counts; not needed for a table of one column without a header",
            .default_value = "count"}}},
         from_table,
         nullptr,
         rows_by_count},
    };
    all.insert(all.begin() + 2, smooth.begin(), smooth.end());
    return all;
  }();
  return rows;
}

Spectrum spectrum_of(const std::string& kind, const ParameterValues& parameters, const CountReader& reader) {
  const SpectrumRow& row = row_named(spectrum_catalogue(), kind, "spectrum");
  Spectrum spectrum;
  if (row.law != nullptr) {
    SmoothLaw law = row.law(parameters);
    spectrum.classes = law.classes;
    if (!law.uniform()) spectrum.law = std::move(law);
    if (spectrum.law && spectrum.classes > max_groups) return spectrum;
  }
  spectrum.groups = row.make(parameters, reader);
  if (row.rows != nullptr) spectrum.table = row.rows(parameters, reader);
  if (row.grid != nullptr) spectrum.grid = row.grid(parameters);
  spectrum.classes = spectrum.groups->total();
  return spectrum;
}

}  // namespace rarefact
