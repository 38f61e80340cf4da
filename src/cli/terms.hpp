#pragma once

/// Terms of the field and of the program, for `rarefact list terms`, `rarefact explain TERM` and the
/// glossary.

#include <string>
#include <vector>

namespace rarefact {

struct Term {
  std::string name, meaning;
  std::vector<std::string> aliases = {};  ///< other words for it, also accepted by `explain`
};

const std::vector<Term>& terms();

}  // namespace rarefact
