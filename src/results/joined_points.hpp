#pragma once

/// What the points of a sweep were before they were joined: the root attribute `points` of its result. So a result can be
/// taken apart again, and a sweep that grows has the bytes of one that was computed at once.
///
/// It has a line of JSON for each different set of steps and variables, an empty line, and for each run in order a line
/// "DIGITS NUMBER": the name of its point, and which of the sets was the point's. A run that was missing has no digits.

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

/// The kinds of points, numbered as they come.
class PointKinds {
 public:
  std::size_t number_of(const Result& point);
  /// The attribute. `numbers`: of each point, nothing where it is missing.
  std::string text(const std::vector<PointId>& ids,
                   const std::vector<std::optional<std::size_t>>& numbers) const;

 private:
  std::vector<PointKind> kinds_;
};

/// The points of a result, read from `path`, of a sweep, as they were before they were joined: asks in their order which
/// ones are wanted, and hands them over. DamagedResult where the attribute is none, InputError where there is none.
void take_apart(Result joined, const std::string& path, const std::function<bool(const PointId&)>& wanted,
                const std::function<void(const PointId&, Result)>& use);

}  // namespace rarefact
