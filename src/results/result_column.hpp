#pragma once

// The datasets of a result file over runs, written run by run.

#include "core/digest.hpp"
#include "io/hdf5.hpp"
#include "results/result_file.hpp"

namespace rarefact {

/// A column grows by add(), which may run in parallel for different columns, and write().
struct ResultColumn {
  std::string name;
  DimensionNames dimensions;
  std::string long_name;
  std::string units = "1";
  CellValues cells = {};  ///< entries that were added but not yet written
  /// Appends the entries of a run to cells of this column's type.
  std::function<void(const Run& run, CellValues& cells)> append = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};  ///< besides long_name and units
  Hdf5Handle dataset = {};
  ChunkOrder order = {};           ///< without a chunk if the dataset is stored in one piece
  hsize_t added = 0, written = 0;  ///< runs
  std::size_t encoded = 0;         ///< entries in chunks so far
  struct EncodedChunk {
    std::vector<hsize_t> position;
    std::vector<std::byte> bytes;
  };
  std::vector<EncodedChunk> chunks = {};  ///< not yet written
  Sha256 digest = {};                     ///< of all values that were added

  /// Creates the dataset without values, with long_name and units.
  void create(const Hdf5Session& session, hid_t file, const ResultShape& shape);
  void add(const std::vector<Run>& runs);
  void write(const Hdf5Session& session);

 private:
  void encode_whole_chunks();
};

/// All columns but the coordinates, in the order of the file. std::logic_error if two swept keys share a name there.
std::vector<ResultColumn> result_columns(const ResultHead& head, const ResultShape& shape);

}  // namespace rarefact
