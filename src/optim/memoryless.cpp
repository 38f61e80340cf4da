#include "optim/formula/formula.hpp"

/// Rules without memory or parameters.

namespace rarefact::rules {

namespace {

ParameterValues one_formula(const char* direction) {
  return {{"direction", std::string(direction)}};
}

}  // namespace

OptimizerRow gd() {
  OptimizerRow row = formula_row({"gd", "Gradient descent", "D = ∇L", "cabannes2024; li2026, section 4"},
                                 [](const ParameterValues&) { return one_formula("G"); });
  row.margins = [](const ParameterValues&) { return MarginRecursion{}; };
  row.of_gains = "gd";
  return row;
}

OptimizerRow ngd() {
  OptimizerRow row = formula_row(
      {"ngd", "Normalised gradient descent", "D = ∇L / ‖∇L‖_F (0 where ∇L = 0)", "wang2025; li2026"},
      [](const ParameterValues&) { return one_formula("G/norm(G)"); });
  row.margins = [](const ParameterValues&) { return MarginRecursion{.normalised = true}; };
  return row;
}

OptimizerRow signgd() {
  return formula_row({"signgd", "Sign descent in the coordinates of W (Adam without memory)",
                      "D = sign(∇L), entrywise, sign(0) = 0", "wang2025, section 5"},
                     [](const ParameterValues&) { return one_formula("sign(G)"); });
}

OptimizerRow tra_signgd() {
  return formula_row({"tra_signgd", "Sign descent in the task basis: an oracle that knows the embeddings",
                      "D = Ẽ sign(G) Eᵀ, G = (p̂ - π) diag(p), sign(0) = 0", "li2026, Theorem 6.3"},
                     [](const ParameterValues&) { return one_formula("ambient(sign(T))"); });
}

}  // namespace rarefact::rules
