#include "sim/train.hpp"

namespace rarefact {

template void train(const SymmetricMemory<Real50>&, UpdateRule<SymmetricMatrix<Real50>>&, const TrainingPlan&,
                    StateSink&, const Workers&, Trajectory&);

}  // namespace rarefact
