#pragma once

/// The evidence for a statement: the results of its experiments.

#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "experiment/plan.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// One point of an experiment: the experiment as resolved and its result.
struct EvidencePoint {
  Experiment experiment;
  Result result;  ///< of one run

  const Run& run() const { return result.runs.front(); }
  /// The sum of class_count.
  double class_total() const {
    return std::accumulate(run().class_count.begin(), run().class_count.end(), 0.0);
  }
};

/// The points of one experiment in the order of its plan.
struct EvidencePoints : std::vector<EvidencePoint> {
  using vector::vector;
  std::vector<SweepAxis> axes = {};  ///< of the plan: the points are their product
};
/// Some points, of one or of several experiments.
using PointList = std::vector<const EvidencePoint*>;

/// All points, a result for each experiment of the statement.
struct Evidence {
  std::vector<EvidencePoints> experiments;
  bool precise = false;  ///< runs and closed forms are in 50 digits
  bool full = false;     ///< neither --quick nor --set changed the runs
  bool rehearsal =
      false;  ///< nothing has run: results have steps, classes and names of variables, and no values
  const EvidencePoints& operator[](std::size_t experiment) const { return experiments.at(experiment); }
  /// Of one experiment, or of all.
  PointList points(std::optional<std::size_t> of = {}) const {
    PointList list;
    for (std::size_t e = of.value_or(0); e < (of ? *of + 1 : experiments.size()); ++e) {
      for (const EvidencePoint& point : experiments.at(e)) list.push_back(&point);
    }
    return list;
  }
};

/// Numbers over an abscissa, ascending whatever the order of the runs.
using Points = std::map<double, double>;
inline std::vector<double> keys(const Points& points) {
  std::vector<double> all;
  for (const auto& item : points) all.push_back(item.first);
  return all;
}
inline std::vector<double> values(const Points& points) {
  std::vector<double> all;
  for (const auto& item : points) all.push_back(item.second);
  return all;
}

}  // namespace rarefact
