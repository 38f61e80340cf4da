#pragma once

// A dataset over runs that is written run by run.

#include <cstdint>
#include <string>
#include <vector>

#include "results/chunk_filter.hpp"
#include "results/result_columns.hpp"

namespace rarefact {

/// How a column of these extents is cut into chunks: pieces of at most 1 MiB, as long as possible in the last
/// dimensions. Empty for texts and small arrays, which are stored in one piece: chunks and filters would cost
/// more than they save.
std::vector<hsize_t> chunk_extents(CellKind kind, const std::vector<hsize_t>& extents);

/// Appending has three stages, of which the first two may run in several threads, each with another stream or
/// another chunk: add() for every stream, filter() for every full chunk, write() for every stream.
class ColumnStream {
 public:
  /// `extents`: runs first.
  ColumnStream(ResultColumn column, Hdf5Handle dataset, std::vector<hsize_t> extents);

  bool of_texts() const { return column_.kind == CellKind::text; }
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
  void write_pending(const Hdf5Session& session, const void* data);

  ResultColumn column_;
  Hdf5Handle dataset_;
  std::vector<hsize_t> extents_, chunk_;
  std::size_t cells_per_run_ = 1;
  hsize_t added_ = 0, written_ = 0;         ///< runs
  std::vector<std::uint64_t> pending_;      ///< cells of runs that are in no full chunk
  std::vector<std::string> pending_texts_;  ///< of runs that are not written
  std::vector<Chunk> full_;
};

}  // namespace rarefact
