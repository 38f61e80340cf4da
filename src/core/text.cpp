#include "core/text.hpp"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <numeric>

namespace rarefact {

namespace {

/// The number of letters that are inserted, omitted, changed, or exchanged with the next one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    current[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = previous[j] + (a[i] == b[j] ? 0 : 1);
      current[j + 1] = std::min({change, previous[j + 1] + 1, current[j] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        current[j + 1] = std::min(current[j + 1], before[j - 1] + 1);
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

std::string joined(const std::vector<std::string>& names, std::string_view separator) {
  return fmt::format("{}", fmt::join(names, separator));
}

std::string_view trimmed(std::string_view text, std::string_view white) {
  text.remove_prefix(std::min(text.find_first_not_of(white), text.size()));
  return text.substr(0, text.find_last_not_of(white) + 1);  // npos + 1 is 0
}

bool legal_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, allowed);
}

std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string our_word(std::string_view synonym, std::string_view rows) {
  for (const std::string_view row : split_text(rows, ';')) {
    const std::vector<std::string_view> words = split_text(row, ' ');
    if (std::find(words.begin() + 1, words.end(), synonym) != words.end()) return std::string(words[0]);
  }
  return "";
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates)
    if (boost::iequals(candidate, name)) return candidate;
  if (name.size() < 2) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // The difference of lengths is a lower bound, so a name of a million letters is not compared.
    if (std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size()) >= best_distance)
      continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best.empty() || name.size() < 3) return best;
  const auto longer = std::ranges::find_if(candidates, [&](const auto& c) { return c.starts_with(name); });
  return longer == candidates.end() ? "" : *longer;
}

Hint did_you_mean(std::string_view nearest, std::string_view quotes) {
  if (nearest.empty()) return {};
  return {fmt::format("; did you mean {0}{1}{0}?", quotes, nearest), std::string(nearest)};
}

Problem prefixed(const std::string& prefix, Problem problem) {
  problem.message = fmt::format("{}: {}", prefix, problem.message);
  return problem;
}

std::string aligned_table(const std::vector<std::vector<std::string>>& rows, std::size_t first_right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], utf8_length(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - utf8_length(row[c]), ' ');
      line += (c > 0 ? "  " : "") + (c >= first_right ? blanks + row[c] : row[c] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than needed, a half of a surrogate pair, beyond the last character.
  if (length > 1 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)))
    return 0;
  return length;
}

std::uint32_t code_point(std::string_view text) {
  const std::size_t length = character_length(text);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::uint32_t code = length < 2 ? byte(0) : byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3fU);
  return code;
}

std::string sanitize_text(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::uint32_t code = code_point(text);
    const bool breaks = code == '\n' || code == '\t';
    const bool hidden = (code < 0x20 && !breaks) || (code >= 0x7f && code < 0xa0) ||
                        (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    if (length == 0) {
      visible += fmt::format("\\x{:02x}", code);
    } else if (hidden) {
      visible += fmt::format("\\u{:04x}", code);
    } else {
      visible += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return visible;
}

}  // namespace rarefact
