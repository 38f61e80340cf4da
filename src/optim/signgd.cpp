#include "optim/sign.hpp"
#include "optim/update_rule.hpp"

namespace rarefact::rules {

namespace {

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

}  // namespace

OptimizerRow signgd() {
  OptimizerRow row;
  row.name = "signgd";
  row.summary = "Sign descent in the coordinates of W (Adam without memory)";
  row.formula = "D = sign(∇L), entrywise, sign(0) = 0";
  row.source = "wang2025, section 5";
  row.symmetries = {.keeps_columns = true, .scale_invariant = true, .equalises = true};
  return with_factories<SignGd>(row);
}

}  // namespace rarefact::rules
