#pragma once

// A variable of numbers over runs that is written run by run.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "results/chunk_filter.hpp"
#include "sim/result.hpp"

namespace rarefact {

/// Writes the cells of one run, 64 bits each, to where the pointer shows.
using CellWriter = std::function<void(const Run& run, std::uint64_t* cells)>;

/// How an array is cut into chunks: pieces of at most 1 MiB, as long as possible in the last dimensions.
std::vector<hsize_t> chunk_extents(const std::vector<hsize_t>& extents);

/// Small arrays are stored in one piece: chunks and filters would cost more than they save.
bool is_chunked(const std::vector<hsize_t>& extents);

/// Appending has three stages, of which the first two may run in several threads, each with another stream or
/// another chunk: add() for every stream, filter() for every full chunk, write() for every stream.
class CellStream {
 public:
  /// `extents`: runs first. `memory_type`: of the cells, such as H5T_NATIVE_DOUBLE.
  CellStream(std::string name, Hdf5Handle dataset, std::vector<hsize_t> extents, hid_t memory_type,
             CellWriter cells);

  void add(const std::vector<Run>& runs);
  /// Chunks that are full and not yet written.
  std::size_t full_chunks() const { return full_.size(); }
  void filter(std::size_t chunk);
  void write(const Hdf5Session& session);
  /// After the last run: the chunk begun, filled up. filter() and write() are to follow.
  void close();

 private:
  struct Chunk {
    std::vector<hsize_t> offset;
    std::vector<std::uint64_t> cells;
    FilteredChunk filtered = {};
  };
  void cut_last_run();
  void complete_chunk();

  std::string name_;
  Hdf5Handle dataset_;
  std::vector<hsize_t> extents_, chunk_;
  hid_t memory_type_;
  CellWriter write_cells_;
  std::size_t cells_per_run_ = 1;
  bool chunked_;
  hsize_t added_ = 0, written_ = 0;     ///< runs
  std::vector<std::uint64_t> pending_;  ///< cells of runs that are in no full chunk
  std::vector<Chunk> full_;
};

}  // namespace rarefact
