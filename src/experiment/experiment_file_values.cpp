#include "experiment/experiment_file_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "experiment/experiment_keys.hpp"

namespace rarefact {

void ProblemList::add(const toml::source_region& where, std::string message) {
  if (where.path && where.path->starts_with(override_mark)) {
    problems_.push_back({*where.path, 0, 0, std::move(message)});
    return;
  }
  if (where.path && where.path->starts_with(element_mark)) {
    Problem problem{file_, 0, 0, std::move(message)};
    const char* end = where.path->data() + where.path->size();
    const auto line = std::from_chars(where.path->data() + element_mark.size(), end, problem.line);
    std::from_chars(line.ptr + 1, end, problem.column);
    problems_.push_back(std::move(problem));
    return;
  }
  // A table that only --set brought about has no place in the file; what it lacks is missing from the file's
  // start.
  const bool placed = where.begin.line > 0;
  problems_.push_back({file_, placed ? static_cast<int>(where.begin.line) : 1,
                       placed ? static_cast<int>(where.begin.column) : 1, std::move(message)});
}

void ProblemList::add_override(const std::string& override_text, std::string message) {
  problems_.push_back({std::string(override_mark) + override_text, 0, 0, std::move(message)});
}

void ProblemList::throw_if_any() {
  if (problems_.empty()) return;
  std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) {
    return std::tuple(a.line == 0, a.line, a.column) < std::tuple(b.line == 0, b.line, b.column);
  });
  throw InputError(problems_);
}

namespace {

/// Whole doubles up to here are exact, so a whole number may be written as a float.
constexpr double largest_exact = 9007199254740992.0;

/// A text cut to a length that fits in a message, never within a UTF-8 character.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::optional<double> number_of(const toml::node& node) {
  if (const auto* i = node.as_integer()) return static_cast<double>(i->get());
  // Adding zero makes -0.0 the plain zero, so that equal experiments have equal texts.
  if (const auto* x = node.as_floating_point()) return x->get() + 0.0;
  return {};
}

std::optional<Value> stored_as(double x, Kind kind, const toml::node& node) {
  if (!std::isfinite(x)) return {};
  if (kind == Kind::number) return x;
  if (std::floor(x) != x) return {};
  if (kind == Kind::count) return x;
  if (const auto* i = node.as_integer()) return i->get();
  if (std::abs(x) > largest_exact) return {};
  return static_cast<std::int64_t>(x);
}

/// A number of a legal kind and size, or nothing.
std::optional<Value> number_value(const toml::node& node, const Parameter& parameter) {
  const std::optional<double> x = number_of(node);
  if (!x || !parameter.legal.contains(*x)) return {};
  const auto value = stored_as(*x, parameter.kind, node);
  const auto& choices = parameter.choices;
  const bool chosen = choices.empty() || !value ||
                      std::find(choices.begin(), choices.end(), to_toml(*value)) != choices.end();
  return chosen ? value : std::nullopt;
}

bool append_numbers(const toml::array& array, const Parameter& parameter, std::vector<double>& numbers) {
  for (const toml::node& entry : array) {
    const std::optional<double> x = number_of(entry);
    if (!x || !std::isfinite(*x) || !parameter.legal.contains(*x)) return false;
    numbers.push_back(*x);
  }
  return !array.empty();
}

std::optional<Value> numbers_value(const toml::node& node, const Parameter& parameter) {
  std::vector<double> numbers;
  const toml::array* array = node.as_array();
  if (array == nullptr || !append_numbers(*array, parameter, numbers)) return {};
  return numbers;
}

std::optional<Value> matrix_value(const toml::node& node, const Parameter& parameter) {
  std::vector<double> numbers;
  const toml::array* rows = node.as_array();
  if (rows == nullptr || rows->empty()) return {};
  for (const toml::node& row : *rows) {
    const toml::array* entries = row.as_array();
    if (entries == nullptr || entries->size() != rows->size()) return {};
    if (!append_numbers(*entries, parameter, numbers)) return {};
  }
  return numbers;
}

/// Nothing where a row is no triple, or there is no row.
std::optional<Value> triples_value(const toml::node& node, const Parameter& parameter) {
  std::vector<double> numbers;
  const toml::array* rows = node.as_array();
  if (rows == nullptr || rows->empty()) return {};
  for (const toml::node& row : *rows) {
    const toml::array* entries = row.as_array();
    if (entries == nullptr || entries->size() != 3) return {};
    if (!append_numbers(*entries, parameter, numbers)) return {};
  }
  return numbers;
}

std::optional<Value> text_value(const toml::node& node, const Parameter& parameter) {
  const auto* text = node.as_string();
  if (text == nullptr || text->get().empty()) return {};
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(text->get().begin(), text->get().end(), control)) return {};
  const auto& choices = parameter.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text->get()) == choices.end()) return {};
  return text->get();
}

std::optional<Value> value_of(const toml::node& node, const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::number:
    case Kind::count:
    case Kind::integer:
      return number_value(node, parameter);
    case Kind::boolean:
      if (const auto* b = node.as_boolean()) return b->get();
      return {};
    case Kind::text:
    case Kind::path:
      return text_value(node, parameter);
    case Kind::numbers:
      return numbers_value(node, parameter);
    case Kind::matrix:
      return matrix_value(node, parameter);
    case Kind::triples:
      return node.is_array() ? triples_value(node, parameter) : text_value(node, parameter);
  }
  return {};
}

/// What to change, where that can be told.
std::string hint(const toml::node& node, const Parameter& parameter) {
  const auto* text = node.as_string();
  if (!parameter.choices.empty())
    return text ? did_you_mean(nearest_name(text->get(), parameter.choices)) : "";
  const bool words = parameter.kind == Kind::text || parameter.kind == Kind::path;
  if (words && text) return " that is not empty and has no control characters";
  const bool list_kind = parameter.kind == Kind::numbers || parameter.kind == Kind::matrix;
  const bool digits = text && !text->get().empty() &&
                      std::string_view("+-.0123456789tf").find(text->get().front()) != std::string_view::npos;
  if (digits && !list_kind) return "; write it without quotes";
  return "";
}

}  // namespace

std::string description(const toml::node& node) {
  if (const auto* i = node.as_integer()) return fmt::format("{}", i->get());
  if (const auto* x = node.as_floating_point()) return fmt::format("{}", x->get());
  if (const auto* b = node.as_boolean()) return b->get() ? "true" : "false";
  if (const auto* s = node.as_string()) return "the text " + to_toml(Value(shortened(s->get())));
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  return "a date or time";
}

/// Whether a node is a value on an axis of a sweep.
static bool is_on_axis(const toml::source_region& where) {
  return where.path && (where.path->starts_with(element_mark) ||
                        where.path->starts_with(std::string(override_mark) + "sweep."));
}

std::optional<Value> read_value(const toml::node& node, const std::string& key, const Parameter& parameter,
                                ProblemList& problems) {
  if (auto value = value_of(node, parameter)) return value;
  const bool takes_list =
      parameter.kind == Kind::numbers || parameter.kind == Kind::matrix || parameter.kind == Kind::triples;
  if (node.is_array() && !takes_list) {
    problems.add(
        node.source(),
        fmt::format("{}: got a list, but one value belongs here: {}; to run one experiment for each "
                    "value, write {}",
                    key, legal_values(parameter),
                    is_on_axis(node.source()) ? "them all in the outer list: [a, b, c], not [[a, b], c]"
                                              : "the list in [sweep]"));
  } else {
    problems.add(node.source(), fmt::format("{}: got {}; expected {}{}", key, description(node),
                                            legal_values(parameter), hint(node, parameter)));
  }
  return {};
}

Value canonical(const Value& value, Kind kind) {
  if (kind != Kind::number && kind != Kind::count) return value;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  return value;
}

}  // namespace rarefact
