#pragma once

// What is to be said of [sweep], for the terminal and for docs/experiment-file.md.

#include <string>
#include <utility>
#include <vector>

namespace rarefact {

/// How the values of an axis may be written, each with what it stands for.
const std::vector<std::pair<std::string, std::string>>& axis_forms();

/// What holds for every [sweep], a sentence or a few each.
const std::vector<std::string>& sweep_rules();

/// A [sweep] as it stands in a file.
const std::string& sweep_example();

/// The section of docs/experiment-file.md.
std::string sweep_markdown();

}  // namespace rarefact
