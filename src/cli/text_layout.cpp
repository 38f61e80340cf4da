#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>

#include "cli/output.hpp"
#include "core/text.hpp"

namespace rarefact {

namespace {

constexpr std::size_t min_width = 80, max_width = 120;

std::size_t width_of_lines = min_width;

}  // namespace

std::size_t line_width() {
  return width_of_lines;
}

void fit_terminal() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    width_of_lines = std::clamp<std::size_t>(size.ws_col, min_width, max_width);
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  const std::string line_break = "\n" + std::string(indent, ' ');
  std::string lines;
  for (const std::string_view line : split_text(text, '\n')) {
    if (line.data() != text.data()) lines += line_break;
    std::size_t used = 0;
    for (const std::string_view word : split_text(line, ' ')) {
      const std::size_t length = utf8_length(word);
      if (length == 0) continue;
      const bool full = used > 0 && used + 1 + length > width;
      if (full) lines += line_break;
      if (full) used = 0;
      if (used > 0) lines += ' ';
      used += length + (used > 0 ? 1 : 0);
      lines += word;
    }
  }
  return lines;
}

std::string two_columns(const TextRows& rows, std::size_t indent, std::size_t widest) {
  std::size_t left_width = 0;
  for (const auto& [left, right] : rows)
    if (!right.empty() && utf8_length(left) <= widest) left_width = std::max(left_width, utf8_length(left));
  const std::size_t right_indent = indent + left_width + 2;
  std::string text;
  for (const auto& [left, right] : rows) {
    text += std::string(indent, ' ') + left;
    if (!right.empty()) {
      const std::size_t length = utf8_length(left);
      // A text too long for its column gets its own line.
      if (length > left_width) text += '\n';
      text.append(length > left_width ? right_indent : left_width + 2 - length, ' ');
      text += wrapped(right, right_indent, line_width() - right_indent);
    }
    text += "\n";
  }
  return text;
}

std::string wrapped_markdown(const std::string& text, std::size_t width) {
  std::string lines;
  for (const std::string_view line : split_text(text, '\n')) {
    if (line.data() != text.data()) lines += '\n';
    lines += wrapped(std::string(line), line.starts_with("* ") ? 2 : 0, width - 2);
  }
  return lines;
}

std::string default_text(const Parameter& parameter) {
  if (parameter.default_value) return to_toml(*parameter.default_value);
  return parameter.optional ? "none" : "required";
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string shell_quoted(const std::string& word) {
  const auto harmless = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || byte >= 0x80 ||
           std::string_view("%+,-./:=@_").find(c) != std::string::npos;
  };
  const auto control = [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; };
  if (!word.empty() && std::ranges::all_of(word, harmless)) return word;
  if (std::ranges::none_of(word, control))
    return fmt::format("'{}'", boost::replace_all_copy(word, "'", "'\\''"));
  std::string out = "$'";
  for (const char c : word) {
    if (c == '\'' || c == '\\') out += '\\';
    out += control(c) ? fmt::format("\\x{:02x}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out + "'";
}

}  // namespace rarefact
