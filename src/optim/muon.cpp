#include "rarefact/optim/accumulator.hpp"

namespace rarefact::rules {

namespace {

template <class M>
requires HasPolar<M>
class Muon final : public UpdateRule<M> {
 public:
  explicit Muon(const ParameterValues& parameters)
      : heavy_ball_(parameters.number("momentum"), parameters.boolean("nesterov")) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    factor_ = polar_(heavy_ball_(gradient), context.workers);
    return {&factor_, 1, 0};
  }

 private:
  HeavyBall<M> heavy_ball_;
  typename Polar<M>::type polar_;
  M factor_;
};

}  // namespace

OptimizerRow muon() {
  OptimizerRow row;
  row.name = "muon";
  row.summary = "Muon with the exact polar factor";
  row.formula = "D = msgn(B), B ← μB + ∇L; msgn(UΣVᵀ) = U_r V_rᵀ over the nonzero singular values";
  row.source = "wang2025; li2026";
  row.parameters = heavy_ball_parameters(0);
  row.symmetries = {.rotation_equivariant = true, .scale_invariant = true, .equalises = true};
  row.dense = make_rule<Muon, DenseMatrix>;
  row.symmetric = make_rule<Muon, SymmetricMatrix<double>>;
  row.symmetric50 = make_rule<Muon, SymmetricMatrix<Real50>>;
  return row;
}

}  // namespace rarefact::rules
