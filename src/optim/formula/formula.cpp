#include "optim/formula/formula.hpp"

namespace rarefact {

std::vector<ParameterProblem> formula_problems(const ParameterValues&) {
  return {};
}

Symmetries formula_symmetries(const ParameterValues&) {
  return {};
}

namespace rules {

OptimizerRow formula() {
  OptimizerRow row;
  row.name = "formula";
  row.summary = "A rule of your own, written as formulas";
  row.formula = "D = direction, a formula of ∇L, of states and of parameters";
  return row;
}

}  // namespace rules

}  // namespace rarefact
