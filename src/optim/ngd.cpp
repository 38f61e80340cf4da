#include "optim/update_rule.hpp"

namespace rarefact::rules {

namespace {

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

}  // namespace

OptimizerRow ngd() {
  OptimizerRow row;
  row.name = "ngd";
  row.summary = "Normalised gradient descent";
  row.formula = "D = ∇L / ‖∇L‖_F (0 where ∇L = 0)";
  row.source = "wang2025; li2026";
  row.symmetries = {.rotation_equivariant = true, .keeps_columns = true, .scale_invariant = true};
  return with_factories<Ngd>(row);
}

}  // namespace rarefact::rules
