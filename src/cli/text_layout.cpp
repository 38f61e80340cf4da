#include "cli/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/text.hpp"

namespace rarefact {

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  const std::string line_break = fmt::format("\n{}", std::string(indent, ' '));
  std::string lines, word;
  std::size_t used = 0;
  const auto end_word = [&](char separator) {
    const std::size_t length = utf8_length(word);
    if (used > 0 && used + 1 + length > width) {
      lines += line_break;
      used = 0;
    }
    if (used > 0 && length > 0) {
      lines += " ";
      ++used;
    }
    lines += word;
    used += length;
    word.clear();
    if (separator == '\n') {
      lines += line_break;
      used = 0;
    }
  };
  for (const char c : text) {
    if (c == ' ' || c == '\n') {
      end_word(c);
    } else {
      word += c;
    }
  }
  end_word(' ');
  return lines;
}

std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t indent,
                        std::size_t widest) {
  std::size_t left_width = 0;
  for (const auto& [left, right] : rows) {
    if (!right.empty() && utf8_length(left) <= widest) left_width = std::max(left_width, utf8_length(left));
  }
  const std::size_t right_indent = indent + left_width + 2;
  std::string text;
  for (const auto& [left, right] : rows) {
    text += std::string(indent, ' ') + left;
    if (!right.empty()) {
      const std::size_t length = utf8_length(left);
      // What is too long for its column stands alone on its line.
      if (length > left_width) text += '\n';
      text.append(length > left_width ? right_indent : left_width + 2 - length, ' ');
      text += wrapped(right, right_indent, line_width - right_indent);
    }
    text += "\n";
  }
  return text;
}

std::string shell_quoted(const std::string& word) {
  const auto harmless = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || byte >= 0x80 ||
           std::string_view("%+,-./:=@_").find(c) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), harmless)) return word;
  const bool control = std::any_of(word.begin(), word.end(),
                                   [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; });
  std::string out = control ? "$'" : "'";
  for (const char c : word) {
    if (control && std::iscntrl(static_cast<unsigned char>(c)) != 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else if (control && (c == '\'' || c == '\\')) {
      out += std::string("\\") + c;
    } else {
      out += c == '\'' ? "'\\''" : std::string(1, c);
    }
  }
  return out + "'";
}

}  // namespace rarefact
