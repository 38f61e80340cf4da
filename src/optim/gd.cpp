

#include "optim/update_rule.hpp"

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

}  // namespace

OptimizerRow gd() {
  OptimizerRow row;
  row.name = "gd";
  row.summary = "Gradient descent";
  row.formula = "D = ∇L";
  row.source = "cabannes2024; li2026, section 4";
  row.symmetries = {.rotation_equivariant = true, .keeps_columns = true};
  return with_factories<Gd>(row);
}

}  // namespace rarefact::rules
