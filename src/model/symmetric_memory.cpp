#include "rarefact/model/symmetric_memory.hpp"

#include "rarefact/model/symmetric_memory_impl.hpp"

namespace rarefact {

template class SymmetricMemory<double>;

}  // namespace rarefact
