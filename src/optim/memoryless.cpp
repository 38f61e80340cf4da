#include "optim/formula/formula.hpp"
#include "optim/formula/numbers.hpp"

/// Rules without memory or parameters.

namespace rarefact::rules {

namespace {

template <class M>
M signs(const M& x) {
  return mapped(x, [](const ScalarOf<M>& entry) { return formula::sign_of(entry); });
}

template <class M>
class SignGd final : public UpdateRule<M> {
 public:
  explicit SignGd(const ParameterValues&) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>&) override {
    sign_ = signs(gradient.ambient());
    return {&sign_, 1, 0};
  }

 private:
  M sign_;
};

template <class M>
class TraSignGd final : public UpdateRule<M> {
 public:
  explicit TraSignGd(const ParameterValues&) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    direction_ = context.to_ambient(signs(gradient.task));
    return {&direction_, 1, 0};
  }

 private:
  M direction_;
};

ParameterValues one_formula(const char* direction) {
  return {{"direction", std::string(direction)}};
}

}  // namespace

OptimizerRow gd() {
  OptimizerRow row = formula_row({"gd", "Gradient descent", "D = ∇L", "cabannes2024; li2026, section 4"},
                                 [](const ParameterValues&) { return one_formula("G"); });
  row.margins = [](const ParameterValues&) { return MarginRecursion{}; };
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
  return rule_row<SignGd>(
      {"signgd", "Sign descent in the coordinates of W (Adam without memory)",
       "D = sign(∇L), entrywise, sign(0) = 0", "wang2025, section 5"},
      {.keeps_wrong_ties = true, .scale_invariant = true, .amplifies_small_entries = true}, 1);
}

OptimizerRow tra_signgd() {
  return rule_row<TraSignGd>(
      {"tra_signgd", "Sign descent in the task basis: an oracle that knows the embeddings",
       "D = Ẽ sign(G) Eᵀ, G = (p̂ - π) diag(p), sign(0) = 0", "li2026, Theorem 6.3"},
      {.answers_rotate = true,
       .queries_rotate = true,
       .keeps_wrong_ties = true,
       .scale_invariant = true,
       .amplifies_small_entries = true,
       .reads_task = true},
      1);
}

}  // namespace rarefact::rules
