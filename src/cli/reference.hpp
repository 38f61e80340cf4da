#pragma once

/// What is to be said of experiment files and their keys, derived from the catalogue of keys.

#include <string>

#include "experiment/keys.hpp"

namespace rarefact {

/// The default as TOML, "required", or "none".
std::string default_text(const Parameter& parameter);

/// What `rarefact explain sweep` prints, and the section of docs/experiment-file.md.
std::string explain_sweep();
std::string sweep_markdown();

/// docs/experiment-file.md.
std::string experiment_file_markdown();

/// A commented experiment of that name that runs in a moment.
std::string starter_experiment(const std::string& name);

}  // namespace rarefact
