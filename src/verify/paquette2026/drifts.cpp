#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

/// Numbers of rows, of each class.
Eigen::ArrayXd of_classes(const EvidencePoint& point, const std::vector<double>& rows) {
  std::vector<double> all;
  for (std::size_t r = 0; r < rows.size(); ++r)
    all.insert(all.end(), static_cast<std::size_t>(point.run().class_count[r]), rows[r]);
  return Eigen::Map<const Eigen::ArrayXd>(all.data(), static_cast<Index>(all.size()));
}

Eigen::ArrayXd distances(const EvidencePoint& point, const std::string& optimizer, std::int64_t step) {
  return 2 * of_classes(point, point.classes(optimizer, "class_loss", step));
}

Eigen::ArrayXd in_units(const EvidencePoint& point, const Eigen::ArrayXd& e, const Eigen::ArrayXd& drift) {
  return drift * std::sqrt(problem_of(point).twice_risk(e)) / e;
}

Points by_octave(const EvidencePoint& point, const Eigen::ArrayXd& rates) {
  const Eigen::ArrayXd curvature = problem_of(point).curvature;
  Points octaves;
  for (Index first = 1; 2 * first <= rates.size(); first *= 2)
    octaves[std::exp(curvature.segment(first - 1, first).log().mean())] =
        rates.segment(first - 1, first).mean();
  return octaves;
}

double slope_of(const Points& points, std::size_t first, std::size_t octaves) {
  Points some;
  for (std::size_t at = 0; const auto& [x, y] : points) {
    if (at >= first && at < first + octaves) some[x] = y;
    ++at;
  }
  if (!std::ranges::all_of(values(some), [](double y) { return y > 0; })) return NAN;
  if (some.size() > 2) return judge::fit_of(some).slope;
  const auto &low = *some.begin(), &high = *some.rbegin();
  return std::log(high.second / low.second) / std::log(high.first / low.first);
}

}  // namespace

BilinearProblem problem_of(const EvidencePoint& point) {
  const Eigen::ArrayXd p = of_classes(point, point.run().class_probability);
  return {p / p.maxCoeff(), point.class_total(), batch_of(point), 0};
}

Eigen::ArrayXd measured_rates(const EvidencePoint& point, const std::string& optimizer) {
  const Eigen::ArrayXd e = distances(point, optimizer, 0),
                       taken = e - distances(point, optimizer, point.last_step());
  const double eta = point.optimizer(optimizer).step_size * static_cast<double>(point.last_step());
  return in_units(point, e, taken / (2 * eta));
}

Eigen::ArrayXd predicted_rates(const EvidencePoint& point, Rates rates) {
  const Eigen::ArrayXd e = distances(point, point.experiment.optimizers.front().name, 0);
  return in_units(point, e, rates(problem_of(point)).drift(e));
}

OctaveRates octave_rates(const PointList& points, const std::string& optimizer, Rates rates) {
  OctaveRates octaves{{}, by_octave(*points.front(), predicted_rates(*points.front(), rates))};
  for (const EvidencePoint* point : points)
    octaves.measured[point->experiment.seed] = by_octave(*point, measured_rates(*point, optimizer));
  return octaves;
}

void judge_octaves(CheckReport& report, const std::string& of, const OctaveRates& rates, double tolerance,
                   double widest) {
  std::size_t left = rates.predicted.size();
  for (const auto& [curvature, predicted] : rates.predicted) {
    std::vector<double> ratios;
    for (const auto& [seed, measured] : rates.measured) ratios.push_back(measured.at(curvature) / predicted);
    const int first = 1 << --left, last = 2 * first - 1;
    report
        .finding("octave",
                 fmt::format("{}mode{}", of, first == last ? " 1" : fmt::format("s {} to {}", first, last)))
        .seed_mean_equals("drift over its formula", ratios, 1, tolerance, widest);
  }
}

std::vector<double> slopes(const OctaveRates& rates, std::size_t first, std::size_t octaves) {
  return collect(rates.measured, [=](const auto& seed) { return slope_of(seed.second, first, octaves); });
}

double predicted_slope(const OctaveRates& rates, std::size_t first, std::size_t octaves) {
  return slope_of(rates.predicted, first, octaves);
}

}  // namespace rarefact::checks::paquette2026
