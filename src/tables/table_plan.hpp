#pragma once

// A request resolved against its result.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/table.hpp"
#include "tables/view.hpp"

namespace rarefact {

/// Which class row a cell shows.
struct ClassChoice {
  enum class Kind { row, tail, min, max };
  std::string name = {};  ///< as typed
  Kind kind = Kind::tail;
  std::string description = {};  ///< " of the tail (the rarest class row)"
  std::size_t row = 0;
};

/// What a table shows of a result.
struct TablePlan {
  std::vector<std::string> rows = {}, columns = {};  ///< axes: swept keys, "optimizer", "class", "step"
  std::vector<std::string> axes = {};                ///< both, rows first
  Quantity value = {};
  std::vector<std::size_t> runs = {}, optimizers = {};  ///< the indices of those that --where leaves
  /// Indices into the steps, one unless step is an axis; nothing: the last one of each run.
  std::vector<std::optional<std::size_t>> records = {std::nullopt};
  std::optional<double> threshold = {};  ///< cells are the first step with a value below or above it
  bool below = false;
  ClassChoice class_row = {};
  std::string moment = {};  ///< "at the last step (3000)", "< 0.1"

  bool has_axis(std::string_view name) const {
    return std::find(axes.begin(), axes.end(), name) != axes.end();
  }
};

/// InputError with every problem of the request.
TablePlan plan_table(const Result& result, const TableRequest& request);

}  // namespace rarefact
