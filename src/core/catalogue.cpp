#include "rarefact/catalogue.hpp"

#include <cmath>

#include "core/text.hpp"
#include "core/transform.hpp"

namespace rarefact {

std::string to_string(const Interval& interval) {
  const bool low = std::isfinite(interval.low), high = std::isfinite(interval.high);
  if (!low && !high) return "any number";
  if (!high) return fmt::format("{} {:g}", interval.low_open ? ">" : ">=", interval.low);
  if (!low) return fmt::format("{} {:g}", interval.high_open ? "<" : "<=", interval.high);
  return fmt::format("in {}{:g}, {:g}{}", interval.low_open ? "(" : "[", interval.low, interval.high,
                     interval.high_open ? ")" : "]");
}

std::string_view to_string(Kind kind) {
  // In the order of Kind.
  static constexpr std::string_view names[] = {"a number",
                                               "an integer",
                                               "an integer",
                                               "true or false",
                                               "a string",
                                               "a formula",
                                               "a path",
                                               "the name of a column, or its number from 1",
                                               "an array of numbers",
                                               "a square array of arrays of numbers",
                                               "a number, a name, or a power law of the rank"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {

std::string number_to_toml(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", x);
  // In TOML a float has a point or an exponent, an integer has neither.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

struct ToToml {
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
  std::string operator()(double x) const { return number_to_toml(x); }
  std::string operator()(const std::string& s) const { return quoted(s); }
  std::string operator()(const std::vector<double>& xs) const {
    return fmt::format("[{}]", joined(mapped(xs, number_to_toml)));
  }
};

template <class T>
const T& typed(const Value& value, const std::string& name) {
  if (const T* found = std::get_if<T>(&value)) return *found;
  throw std::logic_error("parameter '" + name + "' has another type");
}

}  // namespace

std::string to_toml(const Value& value) {
  return std::visit(ToToml{}, value);
}

const Value& ParameterValues::at(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error("parameter '" + name + "' has no value");
  return found->second;
}

double ParameterValues::number(const std::string& name) const {
  const Value& value = at(name);
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* x = std::get_if<double>(&value)) return *x;
  throw std::logic_error("parameter '" + name + "' is not a number");
}

std::int64_t ParameterValues::integer(const std::string& name) const {
  return typed<std::int64_t>(at(name), name);
}
bool ParameterValues::boolean(const std::string& name) const {
  return typed<bool>(at(name), name);
}
const std::string& ParameterValues::text(const std::string& name) const {
  return typed<std::string>(at(name), name);
}
const std::vector<double>& ParameterValues::numbers(const std::string& name) const {
  return typed<std::vector<double>>(at(name), name);
}

}  // namespace rarefact
