#include "optim/formula/evaluate_leaves.hpp"
#include "optim/formula/evaluate_matrices.hpp"
#include "optim/formula/evaluate_result.hpp"
#include "optim/formula/evaluate_spectral.hpp"
#include "optim/formula/tile_emit.hpp"
#include "optim/formula/tile_run.hpp"

namespace rarefact::formula {

std::unique_ptr<UpdateRule<ColumnMatrix>> make_columns(const ParameterValues& definitions) {
  return std::make_unique<FormulaRule<ColumnMatrix>>(definitions);
}

}  // namespace rarefact::formula
