#include "model/symmetric_memory.hpp"

#include "core/real50.hpp"
#include "model/symmetric_memory_impl.hpp"

namespace rarefact {

BlockGroups in_blocks(const ClassGroups& groups, Index block) {
  BlockGroups blocks{.block = block, .count = groups.count, .probability = {}};
  for (double& n : blocks.count) n /= static_cast<double>(block);
  for (const double p : groups.probability) {
    blocks.probability.insert(blocks.probability.end(), static_cast<std::size_t>(block), p);
  }
  return blocks;
}

template class SymmetricMemory<double>;
template class SymmetricMemory<Real50>;

}  // namespace rarefact
