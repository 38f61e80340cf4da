#pragma once

// What the checks of li2026's Muon share: M groups of C classes whose margins climb together, by η a step.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "model/margin.hpp"
#include "theory/scaling_laws.hpp"
#include "verify/findings.hpp"
#include "verify/one_step_evidence.hpp"

namespace rarefact::checks {

/// The numbers of a run that closed forms ask for.
struct GroupedRun {
  double groups = 0, group_size = 0, classes = 0;  ///< M, C, K
  double label_noise = 0, step_size = 0;
  std::int64_t steps = 0;
  double bound = 0;  ///< 1/C + M/C
};

inline GroupedRun grouped_run(const EvidencePoint& point, const std::string& optimizer) {
  const double groups = static_cast<double>(point.run().class_count.size());
  const double size = point.run().class_count.front();
  return {.groups = groups,
          .group_size = size,
          .classes = point.class_total(),
          .label_noise = point.experiment.label_noise,
          .step_size = point.optimizer(optimizer).step_size,
          .steps = point.result.steps.back(),
          .bound = preconditioner_bound<double>(groups, size)};
}

/// A step of Muon moves the margin of class l by η (1 + ε_l), on average over its wrong answers. The ε_l of
/// the first step: with the own entry 1 + o of msgn(X), whose columns sum to zero, ε = (1 + oK)/(K-1). Those
/// of later steps differ by O(t/C) of themselves, since the residual's columns keep their directions up to
/// that.
inline std::vector<double> rate_excesses(const Evidence& evidence, const EvidencePoint& point) {
  std::vector<double> excesses;
  const auto compute = [&](auto zero) {
    using Real = decltype(zero);
    const SymmetricMatrix<Real> direction = muon_direction<Real>(groups_of(point));
    const Real total(point.class_total());
    for (Index i = 0; i < direction.structure().groups(); ++i)
      excesses.push_back(
          static_cast<double>(Real((Real(1) + direction.other(i, i)(0, 0) * total) / (total - Real(1)))));
    return Real(0);
  };
  in_precision(evidence, compute);
  return excesses;
}

/// How far any margin is from ηt at most after the time t, to first order.
inline double drift(const std::vector<double>& excesses, double time) {
  double largest = 0;
  for (const double one : excesses) largest = std::max(largest, std::abs(one));
  return largest * time;
}

/// The margin a class of this error has if its wrong logits agree, ln((K-1)(1-e)/e).
inline double margin_of_error(double error, double classes) {
  return std::log(classes - 1) + std::log1p(-error) - std::log(error);
}

/// m* in the precision of the evidence.
inline double optimum_of(const Evidence& evidence, const GroupedRun& run) {
  return in_precision(evidence, [&](auto zero) {
    using Real = decltype(zero);
    return optimal_margin<Real>(Real(run.classes), Real(run.label_noise));
  });
}

/// Rounding of logits of order 50 that grew in a thousand steps, as a relative error of e^logit.
inline constexpr double logit_rounding = 1e-12;

inline Hypothesis equal_groups(const EvidencePoints& points) {
  bool met = true;
  double least = INFINITY, most = 0;
  std::set<std::size_t> groups;
  for (const EvidencePoint& point : points) {
    const std::vector<double>& count = point.run().class_count;
    groups.insert(count.size());
    for (const double one : count) met = met && one == count.front() && one >= 2;
    least = std::min(least, point.class_total());
    most = std::max(most, point.class_total());
  }
  met = met && *groups.begin() >= 2;
  return {"M >= 2 groups of C >= 2 classes", met,
          fmt::format("M from {} to {}, K from {:.3g} to {:.3g}", *groups.begin(), *groups.rbegin(), least,
                      most)};
}

inline Hypothesis population_gradients(const EvidencePoints& points) {
  const bool met = std::all_of(points.begin(), points.end(), [](const EvidencePoint& point) {
    return point.experiment.data_mode == "population";
  });
  return {"population gradients", met, met ? "all runs" : "a run draws samples"};
}

inline Hypothesis recorded_at_every_step(const EvidencePoints& points) {
  const bool met = std::all_of(points.begin(), points.end(), [](const EvidencePoint& point) {
    return static_cast<std::int64_t>(point.result.steps.size()) == point.result.steps.back() + 1;
  });
  return {"every step is recorded", met, met ? "all runs" : "a run leaves steps out"};
}

inline Hypothesis with_label_noise(const EvidencePoints& points) {
  double least = 1, most = 0;
  for (const EvidencePoint& point : points) {
    least = std::min(least, point.experiment.label_noise);
    most = std::max(most, point.experiment.label_noise);
  }
  return {"label noise above 0", least > 0, fmt::format("α from {:g} to {:g}", least, most)};
}

}  // namespace rarefact::checks
