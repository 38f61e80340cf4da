#pragma once

// What the canonical texts of experiments and of plans share.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"

namespace rarefact {

/// What a file leaves to its [sweep].
struct SweptKeys {
  std::set<std::string> keys = {};  ///< dotted, as in [sweep]
  /// Table whose row is swept -> the parameters that the file gives in it.
  std::map<std::string, ParameterValues> given = {};
  bool both_sides = false;  ///< write [embedding], not [embedding.query] and [embedding.answer]
};

/// The canonical text of an experiment without the keys that are swept.
std::string to_toml(const Experiment& experiment, const SweptKeys& swept);

/// The files an experiment names, as typed.
std::vector<std::string> named_files(const Experiment& experiment);

/// The text and, as comments, the SHA-256 of these files.
std::string with_digests(const std::string& text, const std::vector<std::string>& files,
                         const std::string& base_directory);

}  // namespace rarefact
