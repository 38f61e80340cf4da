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
  row.parameters = {
      {.name = "param",
       .meaning = "a number that formulas call by its NAME, such as param.mu = 0.95",
       .optional = true,
       .family = true},
      {.name = "state",
       .kind = Kind::text,
       .meaning = "a formula for the next value of what the rule remembers under NAME, such as "
                  "state.m = \"mu*m + G\"; it starts at 0",
       .optional = true,
       .family = true},
      {.name = "let",
       .kind = Kind::text,
       .meaning = "a formula that others call by its NAME, such as let.o = \"polar(m)\"",
       .optional = true,
       .family = true},
      {.name = "direction",
       .kind = Kind::text,
       .meaning = "the formula of D, such as \"polar(m) + 0.1*W\", of the gradient G, the weights W and the "
                  "names above"}};
  row.symmetries_with = formula_symmetries;
  row.problems = formula_problems;
  return row;
}

}  // namespace rules

}  // namespace rarefact
