// Guesses what a value that is not TOML should be.

#include <cctype>
#include <regex>

#include "experiment/keys.hpp"
#include "query/evaluate.hpp"

namespace rarefact {

namespace {

/// False if no key with this last part takes the number.
bool takes(std::string_view last_part, double number) {
  bool known = false;
  for (const ExperimentKey& key : experiment_keys()) {
    if (key.last_name() != last_part) continue;
    known = true;
    for (const KeyUse& use : key.uses)
      if (!key.other_forms.empty() || use.parameter.kind == Kind::numbers ||
          legal_value(ConfigNode{number}, use.parameter))
        return true;
  }
  return !known;
}

bool is_expression(std::string_view text) {
  try {
    parsed(text);
    return true;
  } catch (const SyntaxError&) {
    return false;
  }
}

}  // namespace

std::optional<double> meant_number(std::string_view text) {
  if (text.size() > 100) return {};  // std::regex recurses
  std::string sum(text);
  // "1 000" and "1,000,000" have thousands, "0,1" has a decimal comma; "1,500" may be either.
  static const std::regex thousands("-?[1-9][0-9]{0,2}([ '][0-9]{3})+|-?[1-9][0-9]{0,2}(,[0-9]{3}){2,}"),
      either("-?[1-9][0-9]{0,2},[0-9]{3}"), decimal("-?[0-9]+,[0-9]+");
  if (std::regex_match(sum, either)) return {};
  if (std::regex_match(sum, thousands))
    std::erase_if(sum, [](char c) { return c == ' ' || c == ',' || c == '\''; });
  if (std::regex_match(sum, decimal)) sum[sum.find(',')] = '.';
  for (const auto& [end, factor] :
       {std::pair{"percent", "/100"}, {"%", "/100"}, {"k", "*1e3"}, {"M", "*1e6"}})
    if (sum.ends_with(end)) sum.replace(sum.rfind(end), std::string::npos, factor);
  if (const auto power = sum.find('^'); power != sum.npos) sum.replace(power, 1, "**");
  try {
    const double number = query::number_value(sum, {});
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  } catch (const InputError&) {
    return {};
  }
}

std::string syntax_hint(std::string_view message, std::string_view key, std::string_view value) {
  const auto about = [&](const char* what) { return message.find(what) != std::string_view::npos; };
  if (about("not representable in 64 bits")) return "; write large numbers as 1e20";
  if (about("parsing boolean")) return "; write true or false";
  if (about("table 'optimizer'")) return "; write [[optimizer]] every time";
  if (!about("could not determine value type") && !about("parsing decimal integer") &&
      !about("parsing floating-point") && !about(text_after_value))
    return "";
  if (const auto number = meant_number(value); number && !takes(key, *number)) return "";
  if (const auto number = meant_number(value))
    return fmt::format("; write {:.15g}{}", *number,
                       value.ends_with('%') ? ", or \"99%\" in run.classes" : "");
  const auto letters = [](char a, char b) {
    return std::isalpha(static_cast<unsigned char>(a)) != 0 &&
           std::isalpha(static_cast<unsigned char>(b)) != 0;
  };
  const bool word = std::ranges::adjacent_find(value, letters) != value.end();
  return word || is_expression(value)
             ? "; a string needs quotes, as in rule = \"gd\", and so does an expression, as in \"1/p_max\""
             : "";
}

}  // namespace rarefact
