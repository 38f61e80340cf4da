#include "theory/closed_forms.hpp"

namespace rarefact {

const std::vector<PredictionRow>& prediction_catalogue() {
  static const std::vector<PredictionRow> rows{
      gd_recursion(), gd_flow(), muon_descent(), muon_cycle(), sign_descent(),
  };
  return rows;
}

}  // namespace rarefact
