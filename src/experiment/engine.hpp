#pragma once

/// The engines: matrix algebras that hold a run. What each of them requires and takes is the table in
/// sim/engines.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rarefact {

/// From cheap to general.
enum class Engine { columns, symmetric, quadrature, dense };

/// As users write them, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> engine_names = {"columns", "symmetric", "quadrature",
                                                                 "dense"};

/// "auto" where none was asked for.
inline std::string name_of(std::optional<Engine> engine) {
  return engine ? std::string(engine_names[static_cast<std::size_t>(*engine)]) : "auto";
}

/// Nothing for any other text, such as "auto".
inline std::optional<Engine> engine_named(std::string_view name) {
  const auto found = std::find(engine_names.begin(), engine_names.end(), name);
  if (found == engine_names.end()) return {};
  return static_cast<Engine>(found - engine_names.begin());
}

}  // namespace rarefact
