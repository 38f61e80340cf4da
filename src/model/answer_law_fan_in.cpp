// The law `fan_in`: classes are answers, and the mass of each is split among a number of queries.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/compensated_sum.hpp"
#include "model/answer_law_rows.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// The fan-ins of all classes, most likely first, as runs of equal values.
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

/// Fan-ins as a function of the rank; a group of equally likely classes is split where they change. The last
/// rank of a value is found by doubling and bisection, so the cost grows with the number of distinct values.
FanIns by_rank(double classes, const std::function<double(double)>& at) {
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
    if (static_cast<double>(all.fan_in.size()) > max_groups)
      throw InputError(
          fmt::format("the fan-ins of {:g} answers are more than {:g} different ones, too many to write out",
                      classes, max_groups));
    first = last + 1;
  }
  return all;
}

/// p_k/p_min rounded. If the ratios are whole, as with counts in units of the least, all queries are equally
/// likely; otherwise the probability of a query is within a factor 1.5 of the least likely answer's. Fan-ins
/// are whole, and answers keep the frequencies of the spectrum.
FanIns proportional(const ClassGroups& classes, bool rounded) {
  const double min_probability = *std::ranges::min_element(classes.probability);
  FanIns all;
  // A ratio of 2.5 may be rounded to slightly less.
  constexpr double above = 1 + 4 * std::numeric_limits<double>::epsilon();
  for (std::size_t g = 0; g < classes.size(); ++g) {
    const double ratio = classes.probability[g] / min_probability;
    all.add(classes.count[g], rounded ? std::round(ratio * above) : ratio);
  }
  return all;
}

/// The fan-in r_k as a function of a real rank, for a power law.
std::function<double(double)> power_law_of_rank(const ParameterValues& parameters) {
  const std::vector<double>& law = parameters.numbers("fan_in");
  return [exponent = law[0], largest = law[1], rounded = parameters.boolean("rounded")](double rank) {
    const double fan_in = largest * std::pow(rank, -exponent);
    return std::max(1.0, rounded ? std::round(fan_in) : fan_in);
  };
}

bool is_power_law(const ParameterValues& parameters) {
  return parameters.has("fan_in") &&
         std::holds_alternative<std::vector<double>>(parameters.all().at("fan_in"));
}

bool is_proportional(const ParameterValues& parameters) {
  return parameters.has("fan_in") && std::holds_alternative<std::string>(parameters.all().at("fan_in"));
}

/// The law as a smooth function of the rank; nullopt if it is not smooth or all answers are alike.
std::optional<SmoothLaw> smooth_law(const AnswerLawRequest& request) {
  const ParameterValues& parameters = request.parameters;
  if (!parameters.has("fan_in")) return {};
  const auto& groups = request.classes.groups;
  const bool power = is_power_law(parameters), uniform = groups && groups->size() == 1;
  if (parameters.number("within") > 0) return {};
  if ((power || is_proportional(parameters)) && parameters.boolean("rounded")) return {};
  std::optional<SmoothLaw> law = request.classes.law;
  if (!law && uniform && power && parameters.numbers("fan_in")[0] > 0)
    law = {request.classes.classes, [](double) { return 1.0; }};
  if (!law) return {};
  if (power) {
    law->fan_in = power_law_of_rank(parameters);
  } else if (is_proportional(parameters)) {
    law->fan_in = [weight = law->weight, min_weight = law->weight(law->classes)](double rank) {
      return weight(rank) / min_weight;
    };
  } else {
    law->fan_in = [per_query = parameters.number("fan_in")](double) { return per_query; };
  }
  return law;
}

FanIns from_file(const AnswerLawRequest& request) {
  const std::string& path = request.parameters.text("path");
  const std::string column = request.parameters.has("column") ? request.parameters.text("column") : "fan_in";
  const std::vector<double> rows = request.counts(path, column).count;
  const double classes = request.classes.classes;
  const std::vector<Index>& table = request.classes.table.row;  // its rows are those of the fan-ins
  if (static_cast<double>(rows.size()) != classes) {
    throw InputError({{path, 0, 0,
                       fmt::format("column \"{}\" has {} fan-ins; expected one for each of the {} classes",
                                   column, rows.size(), classes)}});
  }
  FanIns all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 1 || std::floor(rows[i]) != rows[i]) {
      throw InputError({{path, 0, 0,
                         fmt::format("row {} of column \"{}\" is {}; a fan-in must be an integer >= 1", i + 1,
                                     column, rows[i])}});
    }
  }
  for (std::size_t k = 0; k < rows.size(); ++k) all.add(1, rows[table.empty() ? k : table[k]]);
  return all;
}

FanIns fan_ins(const AnswerLawRequest& request, const ClassGroups& classes) {
  const ParameterValues& parameters = request.parameters;
  if (!parameters.has("fan_in")) return from_file(request);
  if (is_power_law(parameters)) return by_rank(request.classes.classes, power_law_of_rank(parameters));
  if (is_proportional(parameters)) return proportional(classes, parameters.boolean("rounded"));
  return {{request.classes.classes}, {parameters.number("fan_in")}};
}

/// The queries of an answer: each of probability `per_query` if they are equally likely; otherwise they share
/// `probability`.
std::vector<QueryType> bunch(double probability, double per_query, double fan_in, double within) {
  const std::vector<AnswerShare> answer = {{0, 1, true}};
  if (within == 0 || fan_in == 1) return {{fan_in, per_query, answer}};
  std::vector<double> weight(static_cast<std::size_t>(fan_in));
  CompensatedSum sum;
  for (std::size_t j = 0; j < weight.size(); ++j) {
    weight[j] = std::pow(static_cast<double>(j + 1), -within);
    sum.add(weight[j]);
  }
  std::vector<QueryType> queries;
  for (const double entry : weight) queries.push_back({1, probability * (entry / sum.value()), answer});
  return queries;
}

AnswerLaw fan_in(const AnswerLawRequest& request) {
  const std::optional<SmoothLaw> smooth = smooth_law(request);
  if (smooth && smooth->classes > max_groups) return unwritten(*smooth);
  if (!request.classes.groups && request.parameters.boolean("rounded")) {
    throw InputError(fmt::format(
        "the law fan_in has {:g} distinct answers with rounded fan-ins or queries that differ, too many to write out: at "
        "most {:g} are possible; equally likely answers are one group, and answers.rounded = false needs no groups",
        request.classes.classes, max_groups));
  }
  const ClassGroups& classes = written_classes(request, "fan_in");
  // With rounded ratios queries differ; with exact ratios all are equal to the last bit.
  const bool equal = is_proportional(request.parameters) && !request.parameters.boolean("rounded");
  const double min_probability = *std::ranges::min_element(classes.probability);
  FanIns all = fan_ins(request, classes);
  // Sums of counts beyond 2^53 are rounded, so the last fan-in takes all remaining classes.
  all.count.back() = std::numeric_limits<double>::infinity();
  const double within = request.parameters.number("within");
  Components components;
  double types = 0;
  std::size_t f = 0;
  double left = all.count.at(0);
  for (std::size_t g = 0; g < classes.size(); ++g) {
    for (double rest = classes.count[g]; rest > 0;) {
      if (left == 0) left = all.count.at(++f);
      const double taken = std::min(rest, left), r = all.fan_in[f];
      types += within == 0 ? 1 : r;
      if (types > max_groups) {
        throw InputError(fmt::format(
            "there are more than {:g} different kinds of queries, the largest number possible: {}",
            max_groups, within == 0 ? "group the classes" : "take within = 0 or smaller fan-ins"));
      }
      const double p = classes.probability[g], per_query = equal ? min_probability : p / r;
      components.groups.push_back({taken, {1}, bunch(p, per_query, r, within)});
      rest -= taken;
      left -= taken;
    }
  }
  AnswerLaw law = in_components(std::move(components));
  law.law = smooth;
  return law;
}

/// Problems with fan-ins that are not rounded.
std::vector<ParameterProblem> problems_of_real(const ParameterValues& parameters,
                                               std::optional<double> classes) {
  if (parameters.has("path"))
    return {{"rounded",
             "answers.rounded: got false, but fan-ins in a file are whole numbers; expected "
             "true"}};
  if (parameters.number("within") > 0)
    return {{"rounded",
             "answers.rounded: got false, but queries that differ (answers.within > 0) are summed over j = "
             "1..r, which needs a whole r; expected true, or within = 0"}};
  if (!classes || !is_power_law(parameters)) return {};
  const std::vector<double>& law = parameters.numbers("fan_in");
  const double needed = std::pow(*classes, law[0]);
  // K^s may be rounded to slightly more than a whole number.
  if (law[1] >= needed * (1 - 1e-12)) return {};
  return {
      {"fan_in",
       fmt::format("answers.fan_in: not rounded, answer {:g} has {:.3g} queries, fewer than one; expected "
                   "largest >= {:g}, or rounded = true",
                   *classes, law[1] / needed, std::ceil(needed))}};
}

std::vector<ParameterProblem> fan_in_problems(const ParameterValues& parameters,
                                              std::optional<double> classes) {
  const bool value = parameters.has("fan_in"), file = parameters.has("path");
  if (value && file)
    return {{"path",
             "answers.path: the fan-ins are already given by answers.fan_in; expected one of the "
             "two"}};
  if (!value && !file)
    return {
        {"",
         "answers.fan_in is missing: an integer >= 1, \"proportional\" or {exponent = s, largest = r}; or "
         "answers.path, a file of fan-ins"}};
  if (parameters.has("column") && !file)
    return {{"column", "answers.column is for a file of fan-ins, and answers.path is not given"}};
  return parameters.boolean("rounded") ? std::vector<ParameterProblem>{}
                                       : problems_of_real(parameters, classes);
}

}  // namespace

AnswerLawRow fan_in_row() {
  return {
      {"fan_in",
       "every answer has several queries, which no other answer has",
       "answer k has r_k queries, among which p_k is split: query j = 1..r_k has a part j^-w / Σ_i i^-w of it",
       "",
       {{.name = "fan_in",
         .kind = Kind::ranked,
         .meaning =
             "queries r_k of each answer: a number; proportional to its frequency, r_k = p_k/p_min, which "
             "makes all queries equally likely; or r_k = largest k^-exponent, at least 1, for the rank k",
         .legal = {1, max_classes},
         .choices = {"proportional"},
         .optional = true,
         .symbol = "r"},
        {.name = "path",
         .kind = Kind::path,
         .meaning =
             "table of fan-ins instead, one answer a row, in the order of the table of counts or else most frequent "
             "first; relative to the experiment file",
         .optional = true},
        {.name = "column",
         .kind = Kind::column,
         .meaning = "column with the fan-ins; default: fan_in",
         .optional = true},
        {.name = "rounded",
         .kind = Kind::boolean,
         .meaning = "round fan-ins to whole numbers; real ones are a smooth function of the rank, "
                    "which engine quadrature needs",
         .default_value = true},
        {.name = "within",
         .meaning = "exponent w of the frequencies of the queries of an answer; 0: all equal",
         .default_value = 0.0,
         .legal = {.low = 0},
         .symbol = "w"}}},
      "answers",
      true,
      "law = \"fan_in\"\nfan_in = {exponent = 0.5, largest = 256}",
      fan_in,
      fan_in_problems};
}

}  // namespace rarefact
