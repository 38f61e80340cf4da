#pragma once

/// Regular expressions (std::regex, ECMAScript) behind two functions, because <regex> takes seconds to
/// compile.

#include <string>
#include <vector>

namespace rarefact {

/// The text with every match of the pattern replaced; $1 is the first group, $$ a dollar.
std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& replacement);

/// The matches of the pattern's groups, the whole text first, if the pattern matches the whole text; else
/// empty.
std::vector<std::string> match_groups(const std::string& text, const std::string& pattern);

}  // namespace rarefact
