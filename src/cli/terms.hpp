#pragma once

/// The words of the field and of the program: `rarefact list terms`, `rarefact explain TERM` and the glossary.

#include <string>
#include <vector>

namespace rarefact {

struct Term {
  std::string name, meaning;
  std::vector<std::string> aliases = {};  ///< other words for it, which `explain` knows too
};

const std::vector<Term>& terms();

}  // namespace rarefact
