#pragma once

/// Longer texts of the command line, which are files in src/cli/words.

#include <string>

namespace rarefact {

/// The text of src/cli/words/FILE.
const std::string& words(const std::string& file);

}  // namespace rarefact
