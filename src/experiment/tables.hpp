#pragma once

// One table of an experiment file, read by the rows of the key catalogue.

#include <string>
#include <vector>

#include "experiment/keys.hpp"

namespace rarefact {

/// The table `key` of `parent`; an empty one where it is missing; null, with a problem, where it is something
/// else. `name` is the table's in messages.
const Setting* find_table(const Setting& parent, const std::string& key, const std::string& name,
                          ProblemList& problems);

/// Reads a table into what it sets. `other_keys` are legal there too and left to the caller.
void read_table(const Setting& table, Part& part, const std::vector<std::string>& other_keys,
                ProblemList& problems);

}  // namespace rarefact
