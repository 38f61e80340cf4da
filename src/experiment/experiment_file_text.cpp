#include <fmt/format.h>

#include "experiment/experiment_file_values.hpp"

namespace rarefact {

namespace {

/// Length of the UTF-8 character that `text` begins with; 0 if it begins with none.
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
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

/// The TOML library would tell only roughly where a byte is that is no UTF-8.
void refuse_other_encodings(std::string_view text, const std::string& file) {
  int line = 1, column = 1;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0)
      throw InputError({{file, line, column, "this byte is not UTF-8; save the file in that encoding"}});
    ++column;
    if (text.front() == '\n') {
      ++line;
      column = 1;
    }
    text.remove_prefix(length);
  }
}

/// Keys with more parts than any experiment has would exhaust the stack of the TOML library.
void refuse_deep_keys(std::string_view text, const std::string& file) {
  constexpr int most_dots = 256;
  int line = 1, dots = 0;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '\n' || c == '=' || c == ',') dots = 0;
    if (c == '.') ++dots;
    if (dots > most_dots) {
      throw InputError(
          {{file, line, 1, fmt::format("more than {} dots without a comma or = between", most_dots)}});
    }
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& file) {
  refuse_other_encodings(text, file);
  refuse_deep_keys(text, file);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    std::string message(error.description());
    if (message.find("not representable in 64 bits") != std::string::npos) {
      message += "; write large numbers as 1e20";
    }
    const auto& begin = error.source().begin;
    throw InputError({{file, static_cast<int>(begin.line), static_cast<int>(begin.column), message}});
  }
}

}  // namespace rarefact
