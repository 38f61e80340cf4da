#pragma once

// The datasets of a result file over runs, with the values that they take from a run, written run by run.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/digest.hpp"
#include "io/hdf5.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"

namespace rarefact {

struct ResultColumn {
  std::string name;
  DimensionNames dimensions;
  std::string long_name;
  std::string units = "1";
  CellKind kind = CellKind::real;
  /// Writes the cells of one run, 64-bit numbers, to `cells`.
  std::function<void(const Run& run, std::uint64_t* cells)> cells = {};
  /// Appends the texts of one run, if the kind is text.
  std::function<void(const Run& run, std::vector<std::string>& texts)> texts = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};  ///< besides long_name and units
};

/// All columns except the coordinates, in the order of the file: swept keys, fields, series. Throws
/// std::logic_error if two swept keys share a name in the file.
std::vector<ResultColumn> result_columns(const ResultHead& head, const ResultShape& shape);

/// A chunk as stored: shuffle, deflate of level 1, fletcher32. The filters are run outside HDF5, so that several
/// threads can run them: what H5Dwrite_chunk stores, H5Dread reads back through HDF5's own filters.
struct FilteredChunk {
  std::vector<std::byte> bytes;
  std::uint32_t skipped = 0;  ///< bit 1 if deflate would have made it larger
};

/// The chunks of a column with these extents: pieces of at most 1 MiB, as long as possible in the last
/// dimensions. Empty for texts and small arrays, which are stored in one piece: chunks and filters would cost
/// more than they save.
std::vector<hsize_t> chunk_extents(CellKind kind, const std::vector<hsize_t>& extents);

/// Appending has three stages, of which the first two may run in several threads, each with another stream or
/// another chunk: add() for every stream, filter() for every full chunk, write() for every stream.
class ColumnStream {
 public:
  /// `extents`: runs first.
  ColumnStream(ResultColumn column, Hdf5Handle dataset, std::vector<hsize_t> extents);

  const std::string& name() const { return column_.name; }
  /// The SHA-256 of all values, for values_hash. Call once, after the last run.
  std::string digest() { return digest_.hex(); }
  void add(const std::vector<Run>& runs);
  /// The number of full chunks that are not yet written.
  std::size_t full_chunks() const { return full_.size(); }
  void filter(std::size_t chunk);
  void write(const Hdf5Session& session);
  /// After the last run: the chunk begun, filled up, which filter() and write() are to follow; or all of an array that is
  /// stored in one piece.
  void close(const Hdf5Session& session);

 private:
  struct Chunk {
    std::vector<hsize_t> offset;
    std::vector<std::uint64_t> cells;
    FilteredChunk filtered = {};
  };
  void cut_last_run();
  void complete_chunk();
  bool of_texts() const { return column_.kind == CellKind::text; }

  ResultColumn column_;
  Hdf5Handle dataset_;
  std::vector<hsize_t> extents_, chunk_;
  std::size_t cells_per_run_ = 1;
  hsize_t added_ = 0;                       ///< runs
  std::vector<std::uint64_t> pending_;      ///< cells of runs that are not in a full chunk
  std::vector<std::string> pending_texts_;  ///< of all runs
  std::vector<Chunk> full_;
  Sha256 digest_;
};

}  // namespace rarefact
