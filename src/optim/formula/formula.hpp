#pragma once

/// Update rules written as formulas in the experiment: definitions `state.NAME`, `let.NAME` and `direction`
/// with the numbers `param.NAME` (docs/formulas.md has the language). Their symmetries are derived.

#include <vector>

#include "optim/update_rule.hpp"

namespace rarefact {

/// Problems of the definitions; empty if there are none.
std::vector<ParameterProblem> formula_problems(const ParameterValues& definitions);

/// The definitions that the direction does not need, which are ignored. Precondition: no problems.
std::vector<std::string> formula_unused(const ParameterValues& definitions);

/// The functions of the language: name, meaning, and call (`formula`).
std::vector<CatalogueRow> formula_functions();

/// The symmetries of the rule. Precondition: no problems.
Symmetries formula_symmetries(const ParameterValues& definitions);

/// The work of the rule. Precondition: no problems.
RuleWork formula_work(const ParameterValues& definitions);

/// A catalogue row for a rule that is a formula, on every algebra.
OptimizerRow formula_row(CatalogueRow description, ParameterValues (*definitions)(const ParameterValues&));

}  // namespace rarefact
