#include "sim/training.hpp"

namespace rarefact {

template class Training<SymmetricMemory<Real50>>;

}  // namespace rarefact
