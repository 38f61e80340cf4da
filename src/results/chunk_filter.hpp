#pragma once

// The filters of large arrays, outside HDF5 so that several threads can run them: what H5Dwrite_chunk stores,
// H5Dread reads back through HDF5's own filters.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rarefact {

/// A chunk as stored: shuffle, deflate of level 1, fletcher32.
struct FilteredChunk {
  std::vector<std::byte> bytes;
  std::uint32_t skipped = 0;  ///< bit 1 where deflate would have made it larger
};

FilteredChunk filter_chunk(std::span<const std::uint64_t> cells);

}  // namespace rarefact
