#pragma once

/// Texts that others wrote, such as names of files: what may be shown of them, as it is.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rarefact {

/// Length of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t character_length(std::string_view text);

/// The number of that character; without one, the value of its first byte.
std::uint32_t code_point(std::string_view text);

/// The text with characters that steer a terminal or a reader's eye as \u001b or, where they are no UTF-8, \xff:
/// controls but for line breaks and tabs, line separators, and what turns the direction of writing.
std::string visible_text(std::string_view text);

}  // namespace rarefact
