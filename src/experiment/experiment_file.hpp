#pragma once

/// Experiment files (TOML): text to resolved experiment and back.
///
/// Every problem of a file is found in one pass and reported at once, sorted by position, as
/// `file:line:column: error: what, what was got, what is legal, the nearest name`.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.hpp"

namespace rarefact {

/// The experiment a text describes, defaults filled in, after `overrides` of the form "key=value" were put
/// over it in their order. Keys are those of experiment_keys(), "optimizer.LABEL.step_size" for the optimizer
/// of that label; a value is read as TOML, and a bare word that is none as a text. `file` names the text in
/// messages, and relative paths in the experiment start at its folder. InputError with all problems.
Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<std::string>& overrides = {});

/// The experiment of a file. FileError if it cannot be read; otherwise as parse_experiment.
Experiment read_experiment(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/// The canonical text of an experiment: every default written out, in a fixed order. Two files that mean the
/// same have the same text, and parse_experiment of it gives the experiment back (but for base_directory,
/// which is not part of it).
std::string to_toml(const Experiment& experiment);

/// What a result is a function of: to_toml and, as comments, the SHA-256 of every file the experiment names,
/// so that other numbers under the same path make another experiment. Files that do not exist are left for
/// their readers to report; FileError if one cannot be read.
std::string resolved_text(const Experiment& experiment);

}  // namespace rarefact
