#pragma once

/// The layout of a result file, said once. What is written, read, checked, kept in point files, shown in
/// tables and listed in docs/result-file.md loops over these rows: another field of a result is a member of
/// Run or Trajectory and a row.

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// Raised when a reader of the old layout would misread a new file.
inline constexpr std::int64_t result_schema_version = 1;

/// Where a field is in a Result; says its dimensions and type, too: real numbers of the class groups of a
/// run, or one number or text of a run and optimizer.
using FieldMember = std::variant<std::vector<double> Run::*, double Trajectory::*, std::int64_t Trajectory::*,
                                 std::string Trajectory::*>;

/// A variable that every result file has.
struct ResultField {
  std::string name;
  FieldMember member;
  std::string long_name;     ///< its attribute
  std::string meaning = {};  ///< in docs/result-file.md; where it is empty, as long_name
  std::string units = "1";
  double padding = std::numeric_limits<double>::quiet_NaN();  ///< in groups that a run does
                                                              ///< not have

  bool per_group() const { return std::holds_alternative<std::vector<double> Run::*>(member); }
};

/// In the order of the file.
const std::vector<ResultField>& result_fields();

/// A dimension, which has a coordinate of its own name.
struct ResultDimension {
  std::string name, long_name;
};

/// run, optimizer, step, class_group.
const std::vector<ResultDimension>& result_dimensions();

using DimensionNames = std::vector<std::string>;

/// (run, class_group) or (run, optimizer).
DimensionNames dimensions_of(const ResultField& field);

/// (run, optimizer, step) or (run, optimizer, step, class_group).
DimensionNames series_dimensions(bool per_class);

/// loss, excess_loss, gap, error, class_loss: the series every result file has.
const std::vector<std::string>& required_series();

/// Length of every dimension.
using ResultShape = std::map<std::string, std::size_t>;

}  // namespace rarefact
