#pragma once

/// Texts about experiment keys, derived from their catalogue.

#include <string>

#include "experiment/keys.hpp"

namespace rarefact {

/// What `rarefact explain KEY` prints: meaning, type, default, legal values, to which rows it belongs.
std::string explain_key(const ExperimentKey& key);

/// All keys, one line each; or those of one table.
std::string key_overview();
std::string key_overview(const ExperimentTable& table);

/// What `rarefact explain sweep` prints.
std::string explain_sweep();

/// docs/experiment-file.md.
std::string experiment_file_markdown();

/// The default as TOML, "required", or "none".
std::string default_text(const Parameter& parameter);

/// A commented experiment of that name that runs in a moment.
std::string starter_experiment(const std::string& name);

}  // namespace rarefact
