#include "theory/prediction.hpp"

namespace rarefact {

PredictionRow gd_recursion();      // discrete gradient descent, exact
PredictionRow gd_flow();           // gradient flow, exact for infinitely small steps
PredictionRow muon_descent();      // Muon without label noise (li2026, Theorem 4.2)
PredictionRow muon_cycle();        // Muon with label noise (li2026, Theorem 5.1)
PredictionRow muon_units();        // Muon on units of twins (rarefact2026, docs/query-answer.md)
PredictionRow sign_descent();      // the sign in the task basis, exact (li2026, Theorem 6.3)
PredictionRow newton_recursion();  // Newton's method without damping, exact

const std::vector<PredictionRow>& prediction_catalogue() {
  static const std::vector<PredictionRow> rows{
      gd_recursion(), gd_flow(),      muon_descent(),     muon_cycle(),
      muon_units(),   sign_descent(), newton_recursion(),
  };
  return rows;
}

}  // namespace rarefact
