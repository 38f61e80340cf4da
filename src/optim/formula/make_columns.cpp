#include "optim/formula/evaluate_matrices.hpp"

namespace rarefact::formula {

std::unique_ptr<UpdateRule<ColumnMatrix>> make_columns(const ParameterValues& definitions) {
  return std::make_unique<FormulaRule<ColumnMatrix>>(definitions);
}

}  // namespace rarefact::formula
