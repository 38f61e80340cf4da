#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Where a number stands; -1 in dimensions that it does not have.
struct Position {
  std::int64_t run = -1, optimizer = -1, record = -1, row = -1;
  Along along = Along::nothing;  ///< of the row
};

/// One variable of two results.
struct Difference {
  std::string variable;
  double numbers = 0, differ = 0;  ///< compared, and those beyond the tolerance
  double largest = 0;              ///< |a - b| / max(|a|, |b|); infinite where one of them is no number
  double first = missing, second = missing;
  Position at = {};
};

double relative_difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::abs(a - b) / std::max(std::abs(a), std::abs(b));
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

/// What keeps two results from being compared number by number; empty if nothing does.
std::vector<std::string> other_shapes(const Result& a, const Result& b) {
  std::vector<std::string> findings;
  const auto compare = [&](const std::string& what, const auto& x, const auto& y) {
    if (x != y) findings.push_back(what + " differ");
  };
  compare("the optimizers", a.optimizers, b.optimizers);
  compare("the recorded steps", a.steps, b.steps);
  if (a.runs.size() != b.runs.size())
    findings.push_back(
        fmt::format("{} and {}", counted(a.runs.size(), "run"), counted(b.runs.size(), "run")));
  for (std::size_t i = 0; i < std::min(a.runs.size(), b.runs.size()) && findings.empty(); ++i) {
    compare(fmt::format("the swept values of run {}", i), a.runs[i].parameters, b.runs[i].parameters);
    compare(fmt::format("the numbers of class groups of run {}", i), a.runs[i].class_count.size(),
            b.runs[i].class_count.size());
    compare(fmt::format("the numbers of answer groups of run {}", i),
            width_of(a.runs[i], Along::answer_groups), width_of(b.runs[i], Along::answer_groups));
  }
  return findings;
}

Difference compared(const Result& a, const Result& b, const Quantity& first, const Quantity& second,
                    double rtol) {
  Difference found{.variable = first.name};
  const auto compare = [&](double x, double y, const Position& at) {
    const double difference = relative_difference(x, y);
    ++found.numbers;
    if (difference > rtol) ++found.differ;
    if (difference > found.largest)
      found.largest = difference, found.first = x, found.second = y, found.at = at;
  };
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    const std::size_t rows = width_of(a.runs[i], first.along);
    const std::size_t records = first.per_step ? a.steps.size() : 1;
    for (std::size_t o = 0; o < (first.per_optimizer ? a.optimizers.size() : 1); ++o) {
      const Numbers x = first.numbers(a.runs[i], a.runs[i].trajectories[o]);
      const Numbers y = second.numbers(b.runs[i], b.runs[i].trajectories[o]);
      for (std::size_t record = 0; record < records; ++record) {
        for (std::size_t row = 0; row < rows; ++row) {
          const auto place = [](bool has, std::size_t index) {
            return has ? static_cast<std::int64_t>(index) : -1;
          };
          compare(x(record, row), y(record, row),
                  {place(true, i), place(first.per_optimizer, o), place(first.per_step, record),
                   place(first.along != Along::nothing, row), first.along});
        }
      }
    }
  }
  return found;
}

/// {"run": 0, "optimizer": "gd", "step": 10, "class_group": 3}, as far as the variable has them.
Json position_json(const Position& at, const Result& result) {
  Json json = {{"run", at.run}};
  if (at.optimizer >= 0) json["optimizer"] = result.optimizers[static_cast<std::size_t>(at.optimizer)];
  if (at.record >= 0) json["step"] = result.steps[static_cast<std::size_t>(at.record)];
  if (at.row >= 0) json[dimension_of(at.along)] = at.row;
  return json;
}

std::string position_text(const Position& at, const Result& result) {
  std::vector<std::string> parts;
  const Json json = position_json(at, result);
  for (const auto& [name, value] : json.items())
    parts.push_back(name + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
  return joined(parts);
}

double tolerance(const Arguments& arguments) {
  const auto value = parse_number<double>(arguments.text("rtol", "0"));
  if (!value || !(*value >= 0) || !std::isfinite(*value))
    throw InputError(fmt::format("--rtol: got \"{}\"; expected a number >= 0", arguments.text("rtol")));
  return *value;
}

ExitCode run_diff(const Arguments& arguments, const Streams& streams) {
  if (arguments.operands.size() != 2)
    throw InputError(
        fmt::format("diff: got {}; expected two, A.h5 and B.h5", counted(arguments.operands.size(), "file")));
  const double rtol = tolerance(arguments);
  const StoredResult one = read_stored_result(arguments.operands[0]),
                     other = read_stored_result(arguments.operands[1]);
  const Result &a = one.result, &b = other.result;
  std::vector<std::string> findings = other_shapes(a, b);
  std::vector<Difference> differences;
  double numbers = 0, largest = 0;
  const std::vector<Quantity> first = quantities(a), second = quantities(b);
  const auto tell_alone = [&](const std::vector<Quantity>& some, const std::vector<Quantity>& rest,
                              const std::string& file) {
    std::vector<std::string> alone;
    for (const Quantity& quantity : some)
      if (find_row(rest, quantity.name) == nullptr) alone.push_back(quantity.name);
    if (!alone.empty()) findings.push_back(fmt::format("in {} alone: {}", file, joined(alone)));
  };
  tell_alone(first, second, arguments.operands[0]);
  tell_alone(second, first, arguments.operands[1]);
  const bool same_shape = other_shapes(a, b).empty();
  for (const Quantity& quantity : first) {
    const Quantity* same = find_row(second, quantity.name);
    // How many digits rounding leaves depends on the rounding, not only on the experiment.
    if (same == nullptr || !same_shape || quantity.name.find("digits") != std::string::npos) continue;
    if (quantity.text) {
      // Engines and their reasons are how the numbers came about, not what they are.
      for (std::size_t i = 0; quantity.name == "status" && i < a.runs.size(); ++i) {
        for (std::size_t o = 0; o < a.optimizers.size(); ++o) {
          const std::string x = quantity.text(a.runs[i].trajectories[o]),
                            y = same->text(b.runs[i].trajectories[o]);
          if (x != y) findings.push_back(fmt::format("run {}, {}: {} and {}", i, a.optimizers[o], x, y));
        }
      }
      continue;
    }
    const Difference found = compared(a, b, quantity, *same, rtol);
    numbers += found.numbers;
    largest = std::max(largest, found.largest);
    if (found.differ > 0) differences.push_back(found);
  }
  const bool equal = findings.empty() && differences.empty();
  if (arguments.has("json")) {
    Json json = {{"equal", equal},       {"rtol", rtol},
                 {"numbers", numbers},   {"largest_relative", largest},
                 {"findings", findings}, {"differences", Json::array()}};
    for (const Difference& found : differences) {
      json["differences"].push_back({{"variable", found.variable},
                                     {"numbers", found.numbers},
                                     {"differ", found.differ},
                                     {"largest_relative", found.largest},
                                     {"at", position_json(found.at, a)},
                                     {"values", {found.first, found.second}}});
    }
    print_json(streams.out, json);
    return equal ? ExitCode::done : ExitCode::check_failed;
  }
  for (const std::string& finding : findings) streams.out << finding << "\n";
  std::vector<std::vector<std::string>> rows = {
      {"variable", "differ", "of", "largest", "values there", "at"}};
  for (const Difference& found : differences) {
    rows.push_back({found.variable, fmt::format("{:.0f}", found.differ), fmt::format("{:.0f}", found.numbers),
                    fmt::format("{:.2g}", found.largest),
                    fmt::format("{:.9g} {:.9g}", found.first, found.second), position_text(found.at, a)});
  }
  if (!differences.empty()) streams.out << aligned_table(rows, 1);
  if (equal) {
    streams.out << (largest == 0
                        ? fmt::format("equal: all {:.0f} numbers\n", numbers)
                        : fmt::format(
                              "equal to {:.2g}: all {:.0f} numbers, largest relative difference {:.2g}\n",
                              rtol, numbers, largest));
  }
  return equal ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace

Command diff_command() {
  return {
      .name = "diff",
      .summary = "whether two results have the same values",
      .description =
          "Compares all numbers (but those of digits) and the statuses of two result files: of every variable that differs how "
          "many numbers do, and where the largest relative difference |a - b| / max(|a|, |b|) is. Programs, "
          "engines and names of the experiments may differ. Exit code 1 where the values do. Equal values have "
          "the same sha256 in rarefact info, too.",
      .operands = {.name = "FILE.h5", .meaning = "two result files", .repeatable = true},
      .options = {{"rtol", "X", "relative differences up to this count as equal; default: 0"}, json_option},
      .examples = {"rarefact diff results/mine.h5 results/theirs.h5",
                   "rarefact diff results/symmetric.h5 results/dense.h5 --rtol 1e-9"},
      .run = run_diff};
}

}  // namespace rarefact
