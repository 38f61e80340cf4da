#pragma once

/// An update rule that is a text of the experiment: definitions `state.NAME`, `let.NAME` and `direction`, over the numbers
/// `param.NAME` (docs/reference.md has the language). What such a rule keeps under changes of coordinates is derived.

#include <string>
#include <vector>

#include "optim/update_rule.hpp"

namespace rarefact {

/// What is wrong with the definitions; empty where nothing is.
std::vector<ParameterProblem> formula_problems(const ParameterValues& definitions);

/// The definitions that the direction does not need: they are left out. Precondition: no problems.
std::vector<std::string> formula_unused(const ParameterValues& definitions);

/// The functions of the language: name, what it gives, and how it is called (`formula`).
std::vector<CatalogueRow> formula_functions();

/// What the rule keeps. Precondition: no problems.
Symmetries formula_symmetries(const ParameterValues& definitions);

}  // namespace rarefact
