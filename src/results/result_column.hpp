#pragma once

// The datasets of a result file over runs, with the values that they take from a run, written run by run.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/digest.hpp"
#include "io/hdf5.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"

namespace rarefact {

/// Appending is add(), which may run in several threads, each with another column, and write().
struct ResultColumn {
  std::string name;
  DimensionNames dimensions;
  std::string long_name;
  std::string units = "1";
  CellValues cells = {};  ///< of the type of its entries; those that were added and are not written
  /// Appends the entries of one run to cells of that type.
  std::function<void(const Run& run, CellValues& cells)> append = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};  ///< besides long_name and units
  Hdf5Handle dataset = {};
  std::vector<hsize_t> extents = {};
  hsize_t added = 0, written = 0;  ///< runs
  Sha256 digest = {};              ///< of all values that were added

  /// Makes the dataset without its values, with long_name and units.
  void create(const Hdf5Session& session, hid_t file, const ResultShape& shape);
  void add(const std::vector<Run>& runs);
  void write(const Hdf5Session& session);
};

/// All columns except the coordinates, in the order of the file: swept keys, fields, series. Throws
/// std::logic_error if two swept keys share a name in the file.
std::vector<ResultColumn> result_columns(const ResultHead& head, const ResultShape& shape);

}  // namespace rarefact
