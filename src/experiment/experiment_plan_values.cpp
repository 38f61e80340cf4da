#include "experiment/experiment_plan_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "core/spacing.hpp"

namespace rarefact {

namespace {

constexpr char forms[] =
    "a list of values, {range = [a, b]}, {linspace = [a, b, n]} or {logspace = [a, b, n]}";
/// Whole doubles up to here are exact.
constexpr double largest_exact = 9007199254740992.0;

std::string place_of(const toml::node& node) {
  const toml::source_region& where = node.source();
  if (where.path && where.path->starts_with(override_mark)) return *where.path;
  return fmt::format("{}{}:{}", element_mark, where.begin.line, where.begin.column);
}

/// A number as TOML. Numbers of a key that takes any are floats, all others whole ones where they are whole.
std::string number_text(double x, bool as_float) {
  const double value = x + 0.0;  // -0.0 is 0
  const bool whole = !as_float && std::floor(value) == value && std::abs(value) <= largest_exact;
  return whole ? to_toml(Value(static_cast<std::int64_t>(value))) : to_toml(Value(value));
}

/// A node as TOML in one form for all ways to write it.
std::string canonical_text(const toml::node& node, bool as_float) {
  if (const auto* i = node.as_integer())
    return as_float ? number_text(static_cast<double>(i->get()), true) : to_toml(Value(i->get()));
  if (const auto* x = node.as_floating_point()) return number_text(x->get(), as_float);
  if (const auto* b = node.as_boolean()) return to_toml(Value(b->get()));
  if (const auto* s = node.as_string()) return to_toml(Value(s->get()));
  std::vector<std::string> parts;
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& entry : *list) parts.push_back(canonical_text(entry, as_float));
    return fmt::format("[{}]", joined(parts));
  }
  if (const toml::table* table = node.as_table()) {
    for (auto&& [key, entry] : *table) {
      parts.push_back(
          fmt::format("{} = {}", to_toml(Value(std::string(key.str()))), canonical_text(entry, as_float)));
    }
    return fmt::format("{{{}}}", joined(parts));
  }
  std::ostringstream date;
  node.visit([&](const auto& typed) { date << typed; });
  return date.str();
}

bool takes_floats(const ExperimentKey& key) {
  const Kind kind = key.uses.front().parameter.kind;
  return kind == Kind::number || kind == Kind::count || kind == Kind::numbers || kind == Kind::matrix ||
         kind == Kind::triples;
}

SweptValue swept_value_of(const toml::node& node, const std::string& text) {
  if (const auto* i = node.as_integer()) return static_cast<double>(i->get());
  if (const auto* x = node.as_floating_point()) return x->get() + 0.0;
  if (const auto* b = node.as_boolean()) return b->get() ? 1.0 : 0.0;
  if (const auto* s = node.as_string()) return s->get();
  return text;
}

/// The values of {range = [a, b]} and its like.
class Generator {
 public:
  Generator(const toml::table& table, const std::string& name, ProblemList& problems)
      : table_(table), name_(name), problems_(problems) {}

  std::vector<double> values() {
    if (table_.size() != 1) return refuse(table_, fmt::format("got a table; expected {}", forms));
    const toml::node& node = table_.begin()->second;
    form_ = table_.begin()->first.str();
    if (form_ != "range" && form_ != "linspace" && form_ != "logspace") {
      return refuse(table_,
                    fmt::format("got {{{} = ...}}; expected {}{}", form_, forms,
                                did_you_mean(nearest_name(form_, {"range", "linspace", "logspace"}))));
    }
    if (!read_numbers(node)) return {};
    return form_ == "range" ? range(node) : equal_steps(node);
  }

 private:
  std::vector<double> refuse(const toml::node& where, const std::string& message) {
    problems_.add(where.source(), fmt::format("sweep.{}: {}", name_, message));
    return {};
  }

  bool read_numbers(const toml::node& node) {
    const std::string expected = form_ == "range" ? "[a, b] or [a, b, step]" : "[a, b, n]";
    const toml::array* list = node.as_array();
    const std::size_t size = list == nullptr ? 0 : list->size();
    if (size != 3 && !(form_ == "range" && size == 2)) {
      refuse(node,
             fmt::format("{}: got {}; expected {}", form_,
                         list == nullptr ? description(node) : fmt::format("a list of {}", size), expected));
      return false;
    }
    for (const toml::node& entry : *list) {
      const std::optional<double> x = entry.value<double>();
      if (!entry.is_number() || !x || !std::isfinite(*x)) {
        refuse(entry, fmt::format("{}: got {}; expected numbers, {}", form_, description(entry), expected));
        return false;
      }
      numbers_.push_back(*x);
    }
    return true;
  }

  std::vector<double> range(const toml::node& node) {
    const double a = numbers_[0], b = numbers_[1], step = numbers_.size() == 3 ? numbers_[2] : 1;
    const auto whole = [](double x) { return std::floor(x) == x && std::abs(x) <= largest_exact; };
    if (!whole(a) || !whole(b) || !whole(step) || step < 1) {
      return refuse(node, "range: expected whole numbers [a, b] or [a, b, step] with step >= 1");
    }
    if (b <= a)
      return refuse(node, fmt::format("range: from {} up to, but without, {} there is no number", a, b));
    if ((b - a) / step > most_axis_values) return refuse_many(node, std::ceil((b - a) / step));
    std::vector<double> values;
    for (double x = a; x < b; x += step) values.push_back(x);
    return values;
  }

  std::vector<double> equal_steps(const toml::node& node) {
    const double a = numbers_[0], b = numbers_[1], n = numbers_[2];
    if (std::floor(n) != n || n < 1) {
      return refuse(node, fmt::format("{}: got n = {}; expected a whole number of points >= 1", form_, n));
    }
    if (n > most_axis_values) return refuse_many(node, n);
    if (form_ == "linspace") return evenly_spaced(a, b, n);
    if (a <= 0 || b <= 0)
      return refuse(node, fmt::format("logspace: got ends {} and {}; expected ends > 0", a, b));
    return log_spaced(a, b, n);
  }

  std::vector<double> refuse_many(const toml::node& node, double n) {
    return refuse(
        node, fmt::format("{}: {:.15g} values; at most {:.0f} fit on an axis", form_, n, most_axis_values));
  }

  const toml::table& table_;
  const std::string& name_;
  ProblemList& problems_;
  std::string form_ = {};
  std::vector<double> numbers_ = {};
};

}  // namespace

bool generates_values(const toml::table& table) {
  return table.contains("range") || table.contains("linspace") || table.contains("logspace");
}

AxisElement axis_element(const toml::node& node, const ExperimentKey& key) {
  const std::string text = canonical_text(node, takes_floats(key));
  return {text, place_of(node), swept_value_of(node, text)};
}

std::string place_text(const std::vector<AxisKey>& keys, std::size_t place) {
  if (keys.size() == 1) return keys.front().elements[place].text;
  std::vector<std::string> texts;
  for (const AxisKey& key : keys) texts.push_back(key.elements[place].text);
  return fmt::format("[{}]", joined(texts));
}

void refuse_repetitions(const std::vector<AxisKey>& keys, const std::vector<const toml::node*>& nodes,
                        const toml::node& whole, const std::string& name, ProblemList& problems) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < keys.front().elements.size(); ++i) {
    const std::string text = place_text(keys, i);
    if (seen.insert(text).second) continue;
    const toml::node& where = nodes.empty() ? whole : *nodes[i];
    problems.add(where.source(), fmt::format("sweep.{}: {} is on the axis twice", name, text));
    if (nodes.empty()) return;  // of a generator one place is all there is
  }
}

std::vector<AxisElement> axis_elements(const toml::node& node, const std::string& name,
                                       const ExperimentKey& key, ProblemList& problems) {
  std::vector<AxisElement> elements;
  std::vector<const toml::node*> nodes;
  if (const toml::array* list = node.as_array()) {
    if (list->empty())
      problems.add(node.source(), fmt::format("sweep.{}: the axis is empty; expected {}", name, forms));
    if (static_cast<double>(list->size()) > most_axis_values) {
      problems.add(node.source(), fmt::format("sweep.{}: {} values; at most {:.0f} fit on an axis", name,
                                              list->size(), most_axis_values));
      return {};
    }
    for (const toml::node& entry : *list) {
      elements.push_back(axis_element(entry, key));
      nodes.push_back(&entry);
    }
  } else if (const toml::table* table = node.as_table()) {
    for (const double x : Generator(*table, name, problems).values())
      elements.push_back({number_text(x, takes_floats(key)), place_of(node), x + 0.0});
  } else {
    problems.add(node.source(),
                 fmt::format("sweep.{}: got {}; expected {}; one value alone belongs outside [sweep]", name,
                             description(node), forms));
  }
  std::vector<AxisKey> alone = {{name, std::move(elements)}};
  refuse_repetitions(alone, nodes, node, name, problems);
  return std::move(alone.front().elements);
}

}  // namespace rarefact
