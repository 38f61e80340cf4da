#include "core/pattern.hpp"

#include <regex>

namespace rarefact {

std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& replacement) {
  return std::regex_replace(text, std::regex(pattern), replacement);
}

}  // namespace rarefact
