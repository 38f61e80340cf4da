#include "optim/formula/evaluate_matrices.hpp"

namespace rarefact::formula {

std::unique_ptr<UpdateRule<SymmetricMatrix<Real50>>> make_symmetric50(const ParameterValues& definitions) {
  return std::make_unique<FormulaRule<SymmetricMatrix<Real50>>>(definitions);
}

}  // namespace rarefact::formula
