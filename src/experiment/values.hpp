#pragma once

// Values of parameters as they stand in an experiment file.

#include <optional>
#include <string>

#include "experiment/setting.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// Whole doubles up to here are exact, so a whole number may be written as a float.
inline constexpr double largest_exact = 9007199254740992.0;

/// The value of a parameter, of the type its kind is stored as; nothing if it is not legal.
std::optional<Value> legal_value(const Setting& setting, const Parameter& parameter);

/// The same; a problem if it is not legal. `key` is the key in messages.
std::optional<Value> read_value(const Setting& setting, const std::string& key, const Parameter& parameter,
                                ProblemList& problems);

/// A value as it is written for a parameter of this kind.
Setting setting_of(const Value& value, Kind kind);

/// A default of the catalogue as legal_value would have given it.
Value canonical(const Value& value, Kind kind);

}  // namespace rarefact
