#pragma once

/// The data of one experiment that claims read.

#include "core/transform.hpp"
#include "query/evaluate.hpp"
#include "tables/result_frame.hpp"
#include "verify/evidence.hpp"

namespace rarefact::claims {

using namespace query;

/// Changes the values of a variable, in tests.
using Tamper = std::function<void(const std::string& variable, Array& values)>;

class ExperimentData : public ResultFrame {
 public:
  /// The evidence must outlive the data.
  explicit ExperimentData(const EvidencePoints& evidence, Tamper tamper = {})
      : ResultFrame(mapped(evidence,
                           [](const EvidencePoint& point) -> FramePoint {
                             return {&point.run(), &point.result.steps, &point.result.variables,
                                     [&point]() -> const Experiment& { return point.experiment; }};
                           }),
                    evidence.axes) {
    tamper_ = std::move(tamper);
  }
};

}  // namespace rarefact::claims
