#pragma once

/// Showing untrusted text, such as names of files, on a terminal.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rarefact {

/// Length of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t character_length(std::string_view text);

/// The number of that character; without one, the value of its first byte.
std::uint32_t code_point(std::string_view text);

/// The text with dangerous characters escaped, as \u001b or, if a byte is not UTF-8, as \xff: controls except
/// line breaks and tabs, line separators, and characters that change the direction of writing.
std::string sanitize_text(std::string_view text);

}  // namespace rarefact
