#pragma once

/// Expressions with names, which other expressions may use.

#include <functional>
#include <map>

#include "core/syntax.hpp"

namespace rarefact::query {

struct Definition {
  Syntax tree;
  std::function<void(const InputError&)> failed = {};  ///< throws the error with the place of the definition
};
using Definitions = std::map<std::string, Definition>;

/// Largest number of definitions within one another.
inline constexpr std::size_t deepest_definition = 100;

/// Refuses longer chains, in time linear in their length. Definitions that need themselves are left to evaluation.
void refuse_long_chains(const Definitions& definitions);

/// True if `is` is true of a part of an expression, or of the definitions that it uses. Each definition is visited once.
bool any_part(const Syntax& tree, const Definitions& definitions,
              const std::function<bool(const Syntax& part)>& is);

}  // namespace rarefact::query
