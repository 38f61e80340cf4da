#pragma once

/// What is to be said of experiment files and their keys, derived from the catalogue of keys.

#include <string>

#include "experiment/keys.hpp"

namespace rarefact {

/// The default as TOML, "required", or "none".
std::string default_text(const Parameter& parameter);

/// docs/experiment-file.md, and its section on [sweep].
std::string experiment_file_markdown();
std::string sweep_markdown();

/// A commented experiment of that name that runs in a moment.
std::string starter_experiment(const std::string& name);

}  // namespace rarefact
