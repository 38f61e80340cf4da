#pragma once

/// The layout of a result file, said once: the writer, the reader and the integrity check all follow these
/// tables.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/result.hpp"

namespace rarefact {

/// Raised when a reader of the old layout would misread a new file.
inline constexpr std::int64_t result_schema_version = 1;

enum class Cell { integer, real, text };

/// A variable that every result file has and whose place in a Result is fixed.
struct FixedVariable {
  std::string name;
  std::vector<std::string> dimensions;
  Cell cell;
  std::string long_name;
  std::string units = "1";
};

/// run, optimizer, step, class_group: each is a dimension scale of its own name.
const std::vector<FixedVariable>& dimension_scales();

/// class_count, class_probability, status, status_step, status_detail, engine, engine_reason,
/// quadrature_error.
const std::vector<FixedVariable>& fixed_variables();

/// (run, optimizer, step) or (run, optimizer, step, class_group).
const std::vector<std::string>& trajectory_dimensions(bool per_class);

/// loss, excess_loss, gap, error, class_loss: the trajectories every result file has.
const std::vector<std::string>& required_trajectories();

/// Text attributes of the root group, in their order; schema_version, an integer, stands beside them.
const std::vector<std::string>& root_text_attributes();

/// Lengths of the four dimensions of a result.
struct ResultShape {
  std::uint64_t run = 0, optimizer = 0, step = 0, class_group = 0;
  /// Length of the dimension of that name.
  std::uint64_t extent(const std::string& dimension) const;
  /// Product of the lengths.
  std::uint64_t cells(const std::vector<std::string>& dimensions) const;
};

/// The shape of a result, which is first checked against itself: at least one run, optimizer, step and group;
/// one trajectory an optimizer in every run; series of whole rows and at most one row a step; every required
/// trajectory described. std::logic_error where it does not hold: such a Result is a mistake of the program.
ResultShape result_shape(const Result& result);

}  // namespace rarefact
