#pragma once

/// The canonical text of an experiment, which determines its result.

#include <map>
#include <set>

#include "experiment/experiment.hpp"

namespace rarefact {

struct SweptKeys {
  std::set<std::string> keys = {};  ///< dotted, as in [sweep]
  /// Table whose row is swept -> the parameters given in the file.
  std::map<std::string, ParameterValues> given = {};
  bool both_sides = false;    ///< write [embedding], not [embedding.query] and [embedding.answer]
  bool whole_counts = false;  ///< write counts as 50, not 50.0; never for the text that names a point
};

/// The canonical text of an experiment: every default written out, in a fixed order, the same for files of the same
/// meaning. parse_experiment of it restores all but base_directory. Swept keys are omitted.
std::string to_toml(const Experiment& experiment, const SweptKeys& swept = {});

/// to_toml and, as comments, the SHA-256 of every file the experiment names, so that changed files make
/// another experiment. Missing files are reported by their readers. Throws FileError for unreadable files.
std::string resolved_text(const Experiment& experiment, const SweptKeys& swept = {});

/// The symmetries of the update rules of an experiment, a line each: "normuon: answers: permutations only, ...".
std::string rules_text(const Experiment& experiment);

/// The files that an experiment names, as typed: "FILE.h5:/dataset" names a file and a place in it.
std::vector<std::string> named_files(const Experiment& experiment);

/// The text and, as comments, the SHA-256 of these files.
std::string with_digests(const std::string& text, const std::vector<std::string>& files,
                         const std::string& base_directory);

}  // namespace rarefact
