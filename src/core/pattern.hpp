#pragma once

/// Regular expressions (std::regex, ECMAScript) behind two functions: the header of the library takes seconds to compile.

#include <string>
#include <vector>

namespace rarefact {

/// The text with every match of the pattern replaced; $1 is the first group, $$ a dollar.
std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& replacement);

/// What the groups of the pattern matched where it matches the whole text, the whole first; empty where it does not.
std::vector<std::string> match_groups(const std::string& text, const std::string& pattern);

}  // namespace rarefact
