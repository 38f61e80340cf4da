#include "optim/sign.hpp"
#include "optim/update_rule.hpp"

namespace rarefact::rules {

namespace {

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

}  // namespace

OptimizerRow tra_signgd() {
  OptimizerRow row;
  row.name = "tra_signgd";
  row.summary = "Sign descent in the task basis: an oracle that knows the embeddings";
  row.formula = "D = Ẽ sign(G) Eᵀ, G = (p̂ - π) diag(p), sign(0) = 0";
  row.source = "li2026, Theorem 6.3";
  row.symmetries = {
      .rotation_equivariant = true, .keeps_columns = true, .scale_invariant = true, .equalises = true};
  row.reads_task_gradient = true;
  return with_factories<TraSignGd>(row);
}

}  // namespace rarefact::rules
