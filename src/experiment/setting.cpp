#include "experiment/setting.hpp"

#include <toml++/toml.h>

#include <sstream>

#include "experiment/keys.hpp"

namespace rarefact {

namespace {

/// Refuses bytes that are not UTF-8, whose position toml++ hardly knows, and keys with so many parts that its stack
/// overflows.
void refuse_hostile(std::string_view text, const std::string& file) {
  constexpr int max_dots = 256;
  int line = 1, column = 1, dots = 0;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0)
      throw InputError({{file, line, column, "this byte is not UTF-8; save the file in that encoding"}});
    const char c = text.front();
    if (c == '\n' || c == '=' || c == ',') dots = 0;
    if (c == '.' && ++dots > max_dots) {
      throw InputError(
          {{file, line, 1, fmt::format("more than {} dots without a comma or = between", max_dots)}});
    }
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n';
    text.remove_prefix(length);
  }
}

/// `base` has the key, and the position of an override.
Place place_of(const toml::source_region& region, Place base) {
  if (!base.override_text.empty()) return base;
  base.line = static_cast<int>(region.begin.line);
  base.column = static_cast<int>(region.begin.column);
  return base;
}

ConfigNode setting_from(const toml::node& node, const Place& base) {
  ConfigNode setting{.place = place_of(node.source(), base)};
  if (const auto* i = node.as_integer()) {
    setting.value = i->get();
  } else if (const auto* x = node.as_floating_point()) {
    setting.value = x->get();
  } else if (const auto* b = node.as_boolean()) {
    setting.value = b->get();
  } else if (const auto* s = node.as_string()) {
    setting.value = s->get();
    // In the file the text is surrounded only by quotes; with an escape or a third quote the length would differ.
    const auto& [begin, end, path] = node.source();
    const bool plain = begin.line == end.line && end.column - begin.column == utf8_length(s->get()) + 2;
    if (base.override_text.empty() && plain) setting.place.text_column = setting.place.column + 1;
  } else if (const toml::array* list = node.as_array()) {
    ConfigList settings;
    for (const toml::node& entry : *list) settings.push_back(setting_from(entry, base));
    setting.value = std::move(settings);
  } else if (const toml::table* table = node.as_table()) {
    ConfigTable settings{.entries = {}, .in_braces = table->is_inline()};
    for (auto&& [key, entry] : *table) {
      Place inner = base;
      inner.full_key =
          std::make_shared<const std::string>(dotted(base.full_key ? *base.full_key : "", std::string(key)));
      ConfigNode& last = settings.entries.emplace_back(setting_from(entry, inner));
      last.name = key.str();
      last.key = place_of(key.source(), inner);
    }
    setting.value = std::move(settings);
  } else {
    std::ostringstream date;
    node.visit([&](const auto& typed) { date << typed; });
    setting.value = DateOrTime{date.str()};
  }
  return setting;
}

/// The last part of a key, and its value.
struct Typed {
  std::string_view key, value;
};

/// The key and the value at the position of a mistake that the TOML library found. The value ends at one of the characters
/// `ends` or with the line; the key is empty if it stands on another line.
Typed typed_at(std::string_view text, const toml::source_position& mistake, const char* ends) {
  for (auto line = mistake.line; line > 1; --line)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  text = text.substr(0, text.find('\n'));
  const std::size_t at = std::min<std::size_t>(mistake.column - 1, text.size());
  const std::size_t before = at == 0 ? text.npos : text.find_last_of("=,[{", at - 1);
  const std::size_t equals = text.substr(0, at).rfind('=');
  const std::string_view key = trimmed(text.substr(0, equals == text.npos ? 0 : equals));
  text.remove_prefix(before + 1);  // npos + 1 is 0
  return {key.substr(key.find_last_of(".,{ \t") + 1), trimmed(text.substr(0, text.find_first_of(ends)))};
}

constexpr std::size_t longest_quote = 60, longest_message_part = 1000, longest_excerpt_part = 60;

bool within_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// The first `begin` and the last `end` bytes of a text, never within a UTF-8 character; all of it if it is no longer.
std::string shortened(const std::string& text, std::size_t begin, std::size_t end) {
  if (text.size() <= begin + end) return text;
  while (begin > 0 && within_character(text[begin])) --begin;
  while (end > 0 && within_character(text[text.size() - end])) --end;
  return text.substr(0, begin) + "..." + text.substr(text.size() - end);
}

}  // namespace

const ConfigNode* ConfigNode::get(std::string_view entry) const {
  const auto* table = as<ConfigTable>();
  return table == nullptr ? nullptr : find_row(table->entries, entry);
}

void ConfigNode::put(ConfigNode entry) {
  if (ConfigNode* old = get(entry.name)) {
    *old = std::move(entry);
  } else {
    std::get<ConfigTable>(value).entries.push_back(std::move(entry));
  }
}

void ConfigNode::erase(std::string_view entry) {
  std::erase_if(std::get<ConfigTable>(value).entries,
                [&](const ConfigNode& known) { return known.name == entry; });
}

ConfigList in_file_order(ConfigList entries) {
  std::ranges::stable_sort(entries, {},
                           [](const ConfigNode& node) { return std::pair(node.key.line, node.key.column); });
  return entries;
}

ConfigNode parse_toml(std::string_view text, const std::string& file, const Place& base) {
  refuse_hostile(text, file);
  try {
    return setting_from(toml::parse(text, file), base);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    const std::string message(error.description());
    const char* const ends = message.find(text_after_value) == std::string::npos ? ",]}#\r" : "#\r";
    const Typed typed = typed_at(text, begin, ends);
    throw InputError({{file, static_cast<int>(begin.line), static_cast<int>(begin.column),
                       message + syntax_hint(message, typed.key, typed.value)}});
  }
}

ConfigNode parse_override(const std::string& value, const Place& place) {
  const ConfigNode text{.value = value, .place = place};
  try {
    const toml::table parsed = toml::parse("value = " + value);
    // With more than one entry, a line break in the value began another.
    return parsed.size() == 1 ? setting_from(*parsed.get("value"), place) : text;
  } catch (const toml::parse_error& error) {
    // A bare word; a value that begins like a list, a table, a quoted text or a number is meant as such.
    if (std::string_view("[{\"'+-0123456789").find(value.front()) == std::string_view::npos) return text;
    throw bad_input(
        "the value is not TOML: {}{}", error.description(),
        syntax_hint(error.description(), place.full_key ? KeyPath(*place.full_key).name : "", value));
  }
}

std::string to_toml(const ConfigNode& setting, bool quoted_keys) {
  std::vector<std::string> parts;
  if (const auto* list = setting.as<ConfigList>()) {
    for (const ConfigNode& entry : *list) parts.push_back(to_toml(entry, quoted_keys));
    return fmt::format("[{}]", joined(parts));
  }
  if (const auto* table = setting.as<ConfigTable>()) {
    for (const ConfigNode& entry : table->entries) {
      const std::string name = quoted_keys ? to_toml(Value(entry.name)) : entry.name;
      parts.push_back(fmt::format("{} = {}", name, to_toml(entry, quoted_keys)));
    }
    return fmt::format("{{{}}}", joined(parts));
  }
  if (const auto* b = setting.as<bool>()) return to_toml(Value(*b));
  if (const auto* i = setting.as<std::int64_t>()) return to_toml(Value(*i));
  if (const auto* x = setting.as<double>()) return to_toml(Value(*x));
  if (const auto* date = setting.as<DateOrTime>()) return date->text;
  return to_toml(Value(std::get<std::string>(setting.value)));
}

std::string description(const ConfigNode& setting) {
  if (const auto* i = setting.as<std::int64_t>()) return fmt::format("{}", *i);
  if (const auto* x = setting.as<double>()) return fmt::format("{}", *x);
  if (const auto* b = setting.as<bool>()) return *b ? "true" : "false";
  if (const auto* s = setting.as<std::string>())
    return "the string " + to_toml(Value(shortened(*s, longest_quote, 0)));
  if (setting.as<ConfigList>() != nullptr) return "a list";
  return setting.as<ConfigTable>() != nullptr ? "a table" : "a date or time";
}

std::string list_description(const ConfigNode& setting) {
  const auto* list = setting.as<ConfigList>();
  return list == nullptr ? description(setting) : fmt::format("a list of {}", list->size());
}

Problem ProblemList::at(const Place& place, Problem problem) const {
  const bool override = !place.override_text.empty(), nowhere = !override && place.line == 0;
  problem.file = override ? "--set " + place.override_text : place.included ? *place.included : file_;
  problem.line = nowhere ? 1 : place.line;
  problem.column = nowhere ? 1 : place.column;
  // The reason is at the end.
  problem.message = shortened(problem.message, longest_message_part, longest_message_part);
  if (problem.key.empty() && place.full_key) problem.key = *place.full_key;
  return problem;
}

void ProblemList::add_within(const Place& place, const std::string& text, std::optional<std::size_t> where,
                             Problem problem) {
  problem = at(place, std::move(problem));
  const std::size_t offset = std::min(where.value_or(0), text.size());
  const std::string before = text.substr(0, offset);
  if (where && place.text_column > 0)
    problem.column = place.text_column + static_cast<int>(utf8_length(before));
  const std::string left = shortened(before, 0, longest_excerpt_part),
                    right = shortened(text.substr(offset), longest_excerpt_part, 0);
  problem.excerpt = fmt::format("  {}{}\n  {}^", left, right, std::string(utf8_length(left), ' '));
  add(std::move(problem));
}

void ProblemList::throw_if_any() {
  if (problems_.empty()) return;
  std::ranges::stable_sort(problems_, {}, [](const Problem& problem) {
    return std::tuple(problem.line == 0, problem.line, problem.column);
  });
  if (full())
    problems_.push_back(
        {file_, 0, 0, fmt::format("these are the first {} problems; there may be more", enough)});
  throw InputError(problems_);
}

}  // namespace rarefact
