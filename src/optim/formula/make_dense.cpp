#include "optim/formula/evaluate_matrices.hpp"

namespace rarefact::formula {

std::unique_ptr<UpdateRule<DenseMatrix>> make_dense(const ParameterValues& definitions) {
  return std::make_unique<FormulaRule<DenseMatrix>>(definitions);
}

}  // namespace rarefact::formula
