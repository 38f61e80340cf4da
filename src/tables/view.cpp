#include "tables/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <variant>

#include "core/status.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "results/result_fields.hpp"

namespace rarefact {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit == "1" ? name : fmt::format("{} [{}]", name, unit);
}

template <class Holder>
void read_from(Quantity& quantity, std::vector<double> Holder::*member) {
  quantity.numbers = [member](const Run& run, const Trajectory&) -> Numbers {
    return [held = holder_in<Holder>(run), member](std::size_t, std::size_t row) {
      return held != nullptr && row < (held->*member).size() ? (held->*member)[row] : missing;
    };
  };
}

void read_from(Quantity& quantity, double AnswerGroups::*member) {
  quantity.numbers = [member](const Run& run, const Trajectory&) -> Numbers {
    return [x = run.answers ? (*run.answers).*member : missing](std::size_t, std::size_t) { return x; };
  };
}

/// Names of classes are no quantity.
void read_from(Quantity&, std::vector<std::string> Run::*) {}

void read_from(Quantity& quantity, std::string Trajectory::*member) {
  quantity.text = [member](const Trajectory& trajectory) { return trajectory.*member; };
}

template <class Number>
void read_from(Quantity& quantity, Number Trajectory::*member) {
  quantity.numbers = [member](const Run&, const Trajectory& trajectory) -> Numbers {
    return [x = static_cast<double>(trajectory.*member)](std::size_t, std::size_t) { return x; };
  };
}

SweptValue in_words(const std::string& key, const SweptValue& value) {
  const ExperimentKey* row = find_key(key);
  const auto* number = std::get_if<double>(&value);
  if (row == nullptr || number == nullptr || row->uses.front().parameter.kind != Kind::boolean) return value;
  return *number == 0 ? "false" : "true";
}

}  // namespace

Numbers recorded_numbers(const Run& run, const Trajectory& trajectory, const std::string& name, Along along) {
  const auto found = trajectory.series.find(name);
  if (found == trajectory.series.end()) return [](std::size_t, std::size_t) { return missing; };
  const std::size_t width = width_of(run, along);
  return [&values = found->second, width, grouped = along != Along::nothing](std::size_t record,
                                                                             std::size_t row) {
    const std::size_t place = record * width + (grouped ? row : 0);
    return place < values.size() && (!grouped || row < width) ? values[place] : missing;
  };
}

Numbers recorded_digits(const Run& run, const Trajectory& trajectory, const std::string& name) {
  const std::string own = name.substr(0, name.find("_predicted")) + "_digits";
  return recorded_numbers(run, trajectory, trajectory.series.count(own) ? own : "digits");
}

std::string number_text(double value, double left, int usual) {
  if (!(left < usual)) return fmt::format("{:.{}g}", value, usual);
  return fmt::format("{:.{}g}{}", value, std::max(1, static_cast<int>(left)), left < 3 ? "?" : "");
}

std::vector<Quantity> quantities(const Result& result) {
  std::vector<Quantity> all;
  for (const Variable& variable : result.variables) {
    all.push_back({.name = variable.name,
                   .meaning = with_unit(variable.long_name, variable.units),
                   .per_step = true,
                   .along = variable.along,
                   .numbers = [name = variable.name, along = variable.along](const Run& run,
                                                                             const Trajectory& trajectory) {
                     return recorded_numbers(run, trajectory, name, along);
                   }});
    if (variable.name.find("digits") != std::string::npos) continue;
    all.back().digits = [name = variable.name](const Run& run, const Trajectory& trajectory) {
      return recorded_digits(run, trajectory, name);
    };
  }
  const auto recorded = static_cast<std::ptrdiff_t>(all.size());
  const FieldsPresent present = present_in(result);
  for (const ResultField& field : result_fields()) {
    if (!present(field) || std::holds_alternative<std::vector<std::string> Run::*>(field.member)) continue;
    Quantity& quantity = all.emplace_back(Quantity{.name = field.name,
                                                   .meaning = with_unit(field.long_name, field.units),
                                                   .per_optimizer = field.per_optimizer(),
                                                   .along = field.along});
    std::visit([&](auto member) { read_from(quantity, member); }, field.member);
  }
  std::sort(all.begin() + recorded, all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

Quantity ratio(const Quantity& above, const Quantity& below) {
  return {.name = above.name + "/" + below.name,
          .meaning = fmt::format("{}, divided by {}", above.meaning, below.meaning),
          .per_optimizer = above.per_optimizer || below.per_optimizer,
          .per_step = above.per_step || below.per_step,
          .along = above.along != Along::nothing ? above.along : below.along,
          .counts = false,
          .numbers = [a = above.numbers, b = below.numbers](const Run& run,
                                                            const Trajectory& trajectory) -> Numbers {
            return [x = a(run, trajectory), y = b(run, trajectory)](std::size_t record, std::size_t row) {
              return x(record, row) / y(record, row);
            };
          },
          .digits = [a = above.digits, b = below.digits](const Run& run,
                                                         const Trajectory& trajectory) -> Numbers {
            const auto of = [&](const auto& one) {
              return one ? one(run, trajectory) : [](std::size_t, std::size_t) { return missing; };
            };
            return [x = of(a), y = of(b)](std::size_t record, std::size_t row) {
              return std::fmin(x(record, row), y(record, row));
            };
          }};
}

bool has_answers(const Result& result) {
  return std::ranges::any_of(result.runs, [](const Run& run) { return run.answers.has_value(); });
}

std::optional<std::size_t> last_record(const Numbers& numbers, std::size_t records, std::size_t rows) {
  while (records-- > 0) {
    std::size_t row = 0;
    while (row < rows && !std::isnan(numbers(records, row))) ++row;
    if (row == rows) return records;
  }
  return {};
}

bool is_finished(const Trajectory& trajectory) {
  return trajectory.status == Status::complete || trajectory.status == Status::digits_lost ||
         trajectory.status == Status::uncertified;
}

std::size_t end_of(const Trajectory& trajectory, const std::vector<std::int64_t>& steps) {
  for (std::size_t record = steps.size() - 1; record > 0; --record) {
    for (const auto& [name, values] : trajectory.series) {
      const auto width = static_cast<std::ptrdiff_t>(values.size() / steps.size());
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(record) * width;
      if (std::any_of(begin, begin + width, [](double x) { return !std::isnan(x); })) return record;
    }
  }
  return 0;
}

std::vector<std::string> swept_keys(const Result& result) {
  std::set<std::string> keys;
  for (const Run& run : result.runs) {
    for (const auto& entry : run.parameters) keys.insert(entry.first);
  }
  return {keys.begin(), keys.end()};
}

SweptValue swept_value(const Run& run, const std::string& key) {
  const auto found = run.parameters.find(key);
  return found == run.parameters.end() ? SweptValue("-") : in_words(key, found->second);
}

std::string parameter_text(const std::map<std::string, SweptValue>& parameters) {
  return joined(mapped(parameters, [](const auto& one) {
    return one.first + " = " + swept_text(in_words(one.first, one.second));
  }));
}

std::string swept_text(const SweptValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : fmt::format("{:.12g}", std::get<double>(value));
}

std::string axis_text(const SweptValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  // Twelve digits hide the rounding of a computed grid.
  const double x = *parse_number<double>(fmt::format("{:.12g}", std::get<double>(value)));
  if (x == std::floor(x) && std::abs(x) < 1e7) return fmt::format("{:.0f}", x + 0.0);
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

std::string axis_texts(const std::vector<SweptValue>& values) {
  std::vector<std::string> texts;
  for (const SweptValue& value : values) {
    if (std::find(texts.begin(), texts.end(), axis_text(value)) == texts.end())
      texts.push_back(axis_text(value));
  }
  return joined(texts);
}

bool means(const SweptValue& value, const std::string& typed) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text == typed;
  const double x = std::get<double>(value);
  const auto number = parse_number<double>(typed);
  return number && std::abs(x - *number) <= 1e-12 * std::abs(x);
}

}  // namespace rarefact
