#include "optim/formula/evaluate_leaves.hpp"
#include "optim/formula/evaluate_matrices.hpp"
#include "optim/formula/evaluate_result.hpp"
#include "optim/formula/operation_list.hpp"

namespace rarefact::formula {

std::unique_ptr<UpdateRule<SymmetricMatrix<double>>> make_symmetric(const ParameterValues& definitions) {
  return std::make_unique<FormulaRule<SymmetricMatrix<double>>>(definitions);
}

}  // namespace rarefact::formula
