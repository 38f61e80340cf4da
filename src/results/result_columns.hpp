#pragma once

// What a result file holds over runs: every dataset with what it takes from a run.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5_dataset.hpp"
#include "results/result_encode.hpp"
#include "results/result_fields.hpp"

namespace rarefact {

struct ResultColumn {
  std::string name;
  DimensionNames dimensions;
  std::string long_name;
  std::string units = "1";
  CellKind kind = CellKind::real;
  /// Writes the cells of one run, numbers of 64 bits, to where the pointer shows.
  std::function<void(const Run& run, std::uint64_t* cells)> cells = {};
  /// Adds the texts of one run, where the kind is text.
  std::function<void(const Run& run, std::vector<std::string>& texts)> texts = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};  ///< beside long_name and units
};

/// All but the coordinates, in the order of the file: swept keys, fields, series. std::logic_error where two swept keys
/// share a name in the file.
std::vector<ResultColumn> result_columns(const ResultHead& head, const ResultShape& shape);

}  // namespace rarefact
