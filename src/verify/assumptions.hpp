#pragma once

/// The results of a statement's experiments, and assumptions with their tests on the runs (rarefact list assumptions).

#include <functional>
#include <string>

#include "experiment/plan.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

struct EvidencePoint {
  Experiment experiment;
  Result result;  ///< of one run

  const Run& run() const { return result.runs.front(); }
};

/// The points of an experiment in the order of its plan.
struct EvidencePoints : std::vector<EvidencePoint> {
  using vector::vector;
  std::vector<SweepAxis> axes = {};  ///< of the plan: the points are their product
};
struct Evidence {
  std::vector<EvidencePoints> experiments;
  bool precise = false;     ///< runs and closed forms are in 50 digits
  bool full = false;        ///< neither --quick nor --set changed the runs
  bool as_written = false;  ///< no --set changed the runs
  const EvidencePoints& operator[](std::size_t experiment) const { return experiments.at(experiment); }
  std::vector<const EvidencePoint*> points() const {
    std::vector<const EvidencePoint*> list;
    for (const EvidencePoints& points : experiments)
      for (const EvidencePoint& point : points) list.push_back(&point);
    return list;
  }
};

struct AssumptionRow {
  std::string name, words;
  std::function<bool(const EvidencePoints&)> met;  ///< of the points of an experiment
  std::string holds = {};                          ///< alternatively, an expression of claims
  bool needed = false;                             ///< if it is not met, nothing can be measured
};
const std::vector<AssumptionRow>& assumptions();
/// The assumption of this name. Throws InputError with the nearest name.
const AssumptionRow& assumption_row(const std::string& name);

}  // namespace rarefact
