#pragma once

/// Chunks of a dataset, encoded outside of HDF5: by several threads, and without its cache and its copies.

#include <hdf5.h>

#include <cstddef>
#include <span>
#include <vector>

namespace rarefact {

/// Which entries a chunk holds if a dataset is written in the order of its entries. One dimension is cut into
/// pieces; those after it are whole in a chunk, and those before it have extent 1. So each chunk holds the
/// entries that come next.
struct ChunkOrder {
  std::vector<hsize_t> extents;  ///< of the dataset
  std::vector<hsize_t> chunk;    ///< extents of a chunk

  /// Number of entries in a whole chunk.
  std::size_t capacity() const;
  /// Number of entries of the chunk that starts with entry `begin`: the last piece of a dimension is shorter.
  std::size_t length(std::size_t begin) const;
  /// The coordinates of entry `begin`.
  std::vector<hsize_t> position(std::size_t begin) const;
};

/// The bytes that HDF5 stores for a chunk of `capacity` entries of 8 bytes under the filters shuffle, deflate and
/// fletcher32; zeros follow fewer entries. Throws std::bad_alloc.
std::vector<std::byte> encode_chunk(std::span<const std::byte> entries, std::size_t capacity);

}  // namespace rarefact
