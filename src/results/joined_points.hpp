#pragma once

/// Joining the points of a sweep to one result, and splitting it again, so that a sweep that grows has the same bytes as
/// one computed at once. The root attribute `points` keeps what joining loses: a line of JSON for each set of steps and
/// variables, an empty line, and for each run "DIGITS NUMBER", its point ("-" if missing) and its set.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/point_record.hpp"

namespace rarefact {

/// The properties of a point besides its run.
struct PointKind {
  std::vector<std::int64_t> steps;
  std::vector<Variable> variables;
  bool table = false;  ///< whether its classes are from a user's table
  bool operator==(const PointKind&) const = default;
};

/// The head of several joined results: the unions of steps, and of variables in order of first appearance, with all
/// theorems.
class MergedSchema {
 public:
  /// Adds the next point, and returns the number of its kind.
  std::size_t add(const Result& point);
  /// A result without runs; title and optimizers are those of the first point.
  Result head() const;
  /// The attribute. `kinds`: the kind of each point; nullopt if it is missing.
  std::string points(const std::vector<PointId>& ids,
                     const std::vector<std::optional<std::size_t>>& kinds) const;

 private:
  Result first_;
  std::vector<PointKind> kinds_;
};

/// The runs of a part with their series on the steps of the whole: NaN at those it did not record.
std::vector<Run> spread_runs(Result part, const std::vector<std::int64_t>& steps);

/// The attribute, read: the kinds of points, and for each run its point, nullopt if it was missing, and kind.
struct JoinedPoints {
  std::vector<PointKind> kinds = {};
  std::vector<std::pair<std::optional<PointId>, std::size_t>> of_runs = {};
};

/// Throws std::runtime_error if the attribute is malformed or not that of this result.
JoinedPoints joined_points(const Result& joined);

/// Splits a sweep's result into its points as before joining: calls `wanted` for each in order, and `use` for those
/// wanted. Precondition: it was read from a file, which verifies the attribute.
void take_apart(Result joined, const std::function<bool(const PointId&)>& wanted,
                const std::function<void(const PointId&, Result)>& use);

}  // namespace rarefact
