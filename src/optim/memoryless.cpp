#include "optim/update_rule.hpp"

/// The rules without memory or parameters: D is a function of the gradient alone.

namespace rarefact::rules {

namespace {

template <class M>
class Gd final : public UpdateRule<M> {
 public:
  explicit Gd(const ParameterValues&) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>&) override {
    return {&gradient.ambient(), 1, gradient.exponent};
  }
};

template <class M>
class Ngd final : public UpdateRule<M> {
 public:
  explicit Ngd(const ParameterValues&) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>&) override {
    using Real = ScalarOf<M>;
    const Real norm = frobenius_norm(gradient.ambient());
    if (!(norm > 0)) return {&gradient.ambient(), norm, 0};  // zero stays zero, not-a-number stays visible
    if (1 / norm <= std::numeric_limits<Real>::max()) return {&gradient.ambient(), 1 / norm, 0};
    scaled_ = mapped(gradient.ambient(), [norm](const Real& x) { return Real(x / norm); });
    return {&scaled_, 1, 0};
  }

 private:
  M scaled_;  // only where 1/norm overflows
};

/// sign(x) with sign(0) = 0; not-a-number stays what it is.
template <class Real>
Real sign_of(const Real& x) {
  return x > Real(0) ? Real(1) : (x < Real(0) ? Real(-1) : x);
}

template <class M>
class SignGd final : public UpdateRule<M> {
 public:
  explicit SignGd(const ParameterValues&) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>&) override {
    sign_ = mapped(gradient.ambient(), sign_of<ScalarOf<M>>);
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
    direction_ = context.to_ambient(mapped(gradient.task, sign_of<ScalarOf<M>>));
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
  OptimizerRow row = rule_row<Gd>({"gd", "Gradient descent", "D = ∇L", "cabannes2024; li2026, section 4"},
                                  {.answers_rotate = true, .queries_rotate = true, .keeps_columns = true});
  row.definitions = [](const ParameterValues&) { return one_formula("G"); };
  row.margins = [](const ParameterValues&) { return MarginRecursion{}; };
  return row;
}

OptimizerRow ngd() {
  OptimizerRow row = rule_row<Ngd>(
      {"ngd", "Normalised gradient descent", "D = ∇L / ‖∇L‖_F (0 where ∇L = 0)", "wang2025; li2026"},
      {.answers_rotate = true, .queries_rotate = true, .keeps_columns = true, .scale_invariant = true});
  row.definitions = [](const ParameterValues&) { return one_formula("G/norm(G)"); };
  row.margins = [](const ParameterValues&) { return MarginRecursion{.normalised = true}; };
  return row;
}

OptimizerRow signgd() {
  OptimizerRow row = rule_row<SignGd>({"signgd", "Sign descent in the coordinates of W (Adam without memory)",
                                       "D = sign(∇L), entrywise, sign(0) = 0", "wang2025, section 5"},
                                      {.keeps_columns = true, .scale_invariant = true, .equalises = true});
  row.definitions = [](const ParameterValues&) { return one_formula("sign(G)"); };
  return row;
}

OptimizerRow tra_signgd() {
  OptimizerRow row = rule_row<TraSignGd>(
      {"tra_signgd", "Sign descent in the task basis: an oracle that knows the embeddings",
       "D = Ẽ sign(G) Eᵀ, G = (p̂ - π) diag(p), sign(0) = 0", "li2026, Theorem 6.3"},
      {.answers_rotate = true,
       .queries_rotate = true,
       .keeps_columns = true,
       .scale_invariant = true,
       .equalises = true,
       .reads_task = true});
  row.definitions = [](const ParameterValues&) { return one_formula("ambient(sign(T))"); };
  return row;
}

}  // namespace rarefact::rules
