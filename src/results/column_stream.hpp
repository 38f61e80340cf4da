#pragma once

// The datasets of a result file over runs, with the values that they take from a run, written run by run.

#include <cstddef>
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
  CellValues cells = {};  ///< of the type of its entries; at first none
  /// Appends the entries of one run to cells of that type.
  std::function<void(const Run& run, CellValues& cells)> append = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};  ///< besides long_name and units
};

/// All columns except the coordinates, in the order of the file: swept keys, fields, series. Throws
/// std::logic_error if two swept keys share a name in the file.
std::vector<ResultColumn> result_columns(const ResultHead& head, const ResultShape& shape);

/// The chunks of a column with these extents: pieces of at most 1 MiB, as long as possible in the last
/// dimensions. Empty for texts and small arrays, which are stored in one piece: chunks and filters would cost
/// more than they save.
std::vector<hsize_t> chunk_extents(const CellValues& cells, const std::vector<hsize_t>& extents);

/// Appending is add(), which may run in several threads, each with another stream, and write().
class ColumnStream {
 public:
  /// `extents`: runs first.
  ColumnStream(ResultColumn column, Hdf5Handle dataset, std::vector<hsize_t> extents)
      : column_(std::move(column)), dataset_(std::move(dataset)), extents_(std::move(extents)) {}

  const std::string& name() const { return column_.name; }
  /// The SHA-256 of all values, for values_hash. Call once, after the last run.
  std::string digest() { return digest_.hex(); }
  void add(const std::vector<Run>& runs);
  /// Writes what was added.
  void write(const Hdf5Session& session);

 private:
  ResultColumn column_;
  Hdf5Handle dataset_;
  std::vector<hsize_t> extents_;
  hsize_t added_ = 0, written_ = 0;  ///< runs
  Sha256 digest_;
};

}  // namespace rarefact
