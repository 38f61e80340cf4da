#pragma once

/// Regular expressions (std::regex, ECMAScript) behind a function, because <regex> takes seconds to compile.

#include <string>

namespace rarefact {

/// The text with every match of the pattern replaced; $1 is the first group, $$ a dollar.
std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& replacement);

}  // namespace rarefact
