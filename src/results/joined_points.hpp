#pragma once

/// The points of a sweep as one result, and a result as the points that it was joined from: a sweep that grows has the bytes
/// of one that was computed at once. What the points were before is the root attribute `points` of the result: a line of
/// JSON for each different set of steps and variables, an empty line, and for each run in order a line "DIGITS NUMBER": the
/// name of its point, and which of the sets was the point's. A run that was missing has no digits.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/point_record.hpp"

namespace rarefact {

/// A point without its run.
struct PointKind {
  std::vector<std::int64_t> steps;
  std::vector<Variable> variables;
  bool table = false;  ///< whether its classes are from a user's table
  bool operator==(const PointKind&) const = default;
};

/// The head of the joined results of several points: steps are the union of all steps; variables the union, in order of
/// first appearance, with the theorems and hypotheses of all.
class MergedSchema {
 public:
  /// Adds a point, in their order, and says which kind of them it is.
  std::size_t add(const Result& point);
  /// A result without runs; title and optimizers are those of the first point.
  Result head() const;
  /// The attribute. `kinds`: of each point, nothing where it is missing.
  std::string points(const std::vector<PointId>& ids,
                     const std::vector<std::optional<std::size_t>>& kinds) const;

 private:
  Result first_;
  std::vector<PointKind> kinds_;
};

/// The runs of a part with their series on the steps of the whole: NaN at those it did not record.
std::vector<Run> spread_runs(Result part, const std::vector<std::int64_t>& steps);

/// The points of a result, read from `path`, of a sweep, as they were before they were joined: asks in their order which
/// ones are wanted, and hands them over. DamagedResult where the attribute is none, InputError where there is none.
void take_apart(Result joined, const std::string& path, const std::function<bool(const PointId&)>& wanted,
                const std::function<void(const PointId&, Result)>& use);

}  // namespace rarefact
