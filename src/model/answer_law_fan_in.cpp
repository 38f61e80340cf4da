// The law fan_in: the classes are answers, each with a number of queries among which its mass is split.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/compensated_sum.hpp"
#include "model/answer_law_rows.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// A fan-in of every class, most likely first, in runs of equal ones.
struct FanIns {
  std::vector<double> count, fan_in;

  void add(double classes, double value) {
    if (!fan_in.empty() && fan_in.back() == value) {
      count.back() += classes;
    } else {
      count.push_back(classes);
      fan_in.push_back(value);
    }
  }
};

/// A law of the rank says the fan-in of every class, so a group of equally likely classes is cut where it changes. The
/// last rank of a value is found by doubling and halving: distinct values cost something, not classes.
FanIns by_rank(double classes, double exponent, double largest) {
  const auto at = [&](double rank) { return std::max(1.0, std::round(largest * std::pow(rank, -exponent))); };
  FanIns all;
  for (double first = 1; first <= classes;) {
    const double value = at(first);
    double last = first, step = 1;
    while (last + step <= classes && at(last + step) == value) {
      last += step;
      step *= 2;
    }
    for (; step >= 1; step = std::floor(step / 2)) {
      if (last + step <= classes && at(last + step) == value) last += step;
    }
    all.add(last - first + 1, value);
    first = last + 1;
  }
  return all;
}

/// p_k/p_min rounded, so that all queries are equally likely where the ratios are whole, as those of counts in units of
/// the least. Elsewhere a query's probability is within a factor 1.5 of the least likely answer's: rounding keeps fan-ins whole,
/// and the frequencies of the answers what the spectrum says.
FanIns proportional(const ClassGroups& classes) {
  const double least = *std::ranges::min_element(classes.probability);
  FanIns all;
  // A ratio of 2.5 may come out a few roundings below.
  constexpr double above = 1 + 4 * std::numeric_limits<double>::epsilon();
  for (std::size_t g = 0; g < classes.size(); ++g)
    all.add(classes.count[g], std::round(classes.probability[g] / least * above));
  return all;
}

FanIns from_file(const AnswerLawRequest& request) {
  const std::string& path = request.parameters.text("path");
  const std::string column = request.parameters.has("column") ? request.parameters.text("column") : "fan_in";
  const std::vector<double> rows = request.counts(path, column);
  const double classes = request.classes.classes;
  if (static_cast<double>(rows.size()) != classes) {
    throw InputError({{path, 0, 0,
                       fmt::format("column \"{}\" has {} fan-ins; expected one for each of the {} classes",
                                   column, rows.size(), classes)}});
  }
  FanIns all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 1 || std::floor(rows[i]) != rows[i]) {
      throw InputError({{path, 0, 0,
                         fmt::format("row {} of column \"{}\" is {}; a fan-in must be a whole number >= 1",
                                     i + 1, column, rows[i])}});
    }
    all.add(1, rows[i]);
  }
  return all;
}

FanIns fan_ins(const AnswerLawRequest& request, const ClassGroups& classes) {
  const ParameterValues& parameters = request.parameters;
  if (!parameters.has("fan_in")) return from_file(request);
  const Value& value = parameters.all().at("fan_in");
  if (const auto* law = std::get_if<std::vector<double>>(&value))
    return by_rank(request.classes.classes, law->at(0), law->at(1));
  if (std::holds_alternative<std::string>(value)) return proportional(classes);
  return {{request.classes.classes}, {parameters.number("fan_in")}};
}

/// The queries of an answer of this probability.
std::vector<QueryType> bunch(double probability, double fan_in, double within) {
  const std::vector<AnswerShare> answer = {{0, 1, true}};
  if (within == 0 || fan_in == 1) return {{fan_in, probability / fan_in, answer}};
  std::vector<double> weight(static_cast<std::size_t>(fan_in));
  CompensatedSum sum;
  for (std::size_t j = 0; j < weight.size(); ++j) {
    weight[j] = std::pow(static_cast<double>(j + 1), -within);
    sum.add(weight[j]);
  }
  std::vector<QueryType> queries;
  for (const double one : weight) queries.push_back({1, probability * (one / sum.value()), answer});
  return queries;
}

AnswerLaw fan_in(const AnswerLawRequest& request) {
  const ClassGroups& classes = written_classes(request, "fan_in");
  const FanIns all = fan_ins(request, classes);
  const double within = request.parameters.number("within");
  OrderedUnits ordered;
  double types = 0;
  std::size_t f = 0;
  double left = all.count.at(0);
  for (std::size_t g = 0; g < classes.size(); ++g) {
    for (double rest = classes.count[g]; rest > 0;) {
      if (left == 0) left = all.count.at(++f);
      const double taken = std::min(rest, left), r = all.fan_in[f];
      types += within == 0 ? 1 : r;
      if (types > most_groups) {
        throw InputError(fmt::format(
            "the queries of all answers are of more than {:g} kinds; at most so many are "
            "possible: {}",
            most_groups, within == 0 ? "group the classes" : "take within = 0 or smaller fan-ins"));
      }
      ordered.units.groups.push_back({taken, {1}, bunch(classes.probability[g], r, within)});
      rest -= taken;
      left -= taken;
    }
  }
  return in_units(std::move(ordered));
}

std::vector<ParameterProblem> problems(const ParameterValues& parameters, std::optional<double>) {
  const bool value = parameters.has("fan_in"), file = parameters.has("path");
  if (value && file)
    return {
        {"path", {}, "answers.path: the fan-ins stand in answers.fan_in already; expected one of the two"}};
  if (!value && !file)
    return {
        {"",
         {},
         "answers.fan_in is missing: a whole number >= 1, \"proportional\" or {exponent = s, largest = r}; or "
         "answers.path, a file of fan-ins"}};
  if (parameters.has("column") && !file)
    return {{"column", {}, "answers.column: there is no answers.path whose column it could be"}};
  return {};
}

}  // namespace

AnswerLawRow fan_in_row() {
  return {
      {"fan_in",
       "every answer has several queries of its own",
       "answer k has r_k queries, among which p_k is split: query j = 1..r_k has a part j^-w / Σ_i i^-w of it",
       "",
       {{.name = "fan_in",
         .kind = Kind::ranked,
         .meaning =
             "queries r_k of each answer: a number; proportional to its frequency, r_k = p_k/p_min rounded, which "
             "makes all queries equally likely; or r_k = largest k^-exponent rounded, at least 1, for the rank k",
         .legal = {1, most_classes},
         .choices = {"proportional"},
         .optional = true,
         .symbol = "r"},
        {.name = "path",
         .kind = Kind::path,
         .meaning =
             "table of fan-ins instead, one answer a row, most frequent first, relative to the experiment file",
         .optional = true},
        {.name = "column",
         .kind = Kind::text,
         .meaning = "name of the column that holds the fan-ins; default: fan_in",
         .optional = true},
        {.name = "within",
         .meaning = "exponent w of how often the queries of an answer occur; 0: all alike",
         .default_value = 0.0,
         .legal = {.low = 0},
         .symbol = "w"}}},
      "answers",
      "law = \"fan_in\"\nfan_in = {exponent = 0.5, largest = 256}",
      fan_in,
      problems};
}

}  // namespace rarefact
