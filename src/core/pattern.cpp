#include "core/pattern.hpp"

#include <regex>

namespace rarefact {

std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& replacement) {
  return std::regex_replace(text, std::regex(pattern), replacement);
}

std::vector<std::string> match_groups(const std::string& text, const std::string& pattern) {
  std::smatch found;
  if (!std::regex_match(text, found, std::regex(pattern))) return {};
  return {found.begin(), found.end()};
}

}  // namespace rarefact
