#pragma once

/// Drift of the squared distances e_j under frozen minibatches of bilinear least squares, W = 0, by octaves of the modes,
/// beside the formulas of theory/sign_svd.hpp. Curvatures are in units of the largest; no number depends on that of e.

#include "theory/sign_svd.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::paquette2026 {

using Rates = SignRates (*)(const BilinearProblem&);

/// Of as many outputs as inputs.
BilinearProblem problem_of(const EvidencePoint& point);

/// What a step takes from e_j, over η 2e_j/√(2R): λ_jΦ_j if signals are weak. Of every mode.
Eigen::ArrayXd measured_rates(const EvidencePoint& point, const std::string& optimizer);
Eigen::ArrayXd predicted_rates(const EvidencePoint& point, Rates rates);

/// Means over the modes 1, 2-3, 4-7, ..., over the geometric mean of their curvatures.
struct OctaveRates {
  judge::SeedCurves measured;
  Points predicted;
  Points mean() const { return judge::mean_over_seeds(measured); }
};
OctaveRates octave_rates(const PointList& points, const std::string& optimizer, Rates rates);

/// A finding for each octave: measured over predicted is 1 (judge::seed_mean_equals).
void judge_octaves(CheckReport& report, const std::string& of, const OctaveRates& rates, double tolerance,
                   double widest);

/// The exponent in λ of every seed, and of the prediction, over so many octaves, of which `first` is the number from the
/// flattest modes up.
std::vector<double> slopes(const OctaveRates& rates, std::size_t first = 0, std::size_t octaves = 100);
double predicted_slope(const OctaveRates& rates, std::size_t first = 0, std::size_t octaves = 100);

}  // namespace rarefact::checks::paquette2026
