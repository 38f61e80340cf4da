#include "verify/check.hpp"

#include "model/embedding.hpp"

namespace rarefact::checks {

ClassGroups groups_of(const EvidencePoint& point) {
  return {point.run().class_count, point.run().class_probability};
}

double probability_ratio(const EvidencePoint& point) {
  const auto [least, most] =
      std::minmax_element(point.run().class_probability.begin(), point.run().class_probability.end());
  return *least / *most;
}

double batch_of(const EvidencePoint& point) {
  return point.experiment.data_parameters.number("batch");
}

double momentum_of(const EvidencePoint& point, const std::string& optimizer) {
  return point.optimizer(optimizer).parameters.number("momentum");
}

double late_mean(const EvidencePoint& point, const std::string& optimizer, const std::string& variable,
                 std::int64_t first, std::size_t row) {
  const std::vector<double> all = point.series(optimizer, variable, row);
  double sum = 0, steps = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (point.result.steps[i] < first) continue;
    sum += all[i];
    ++steps;
  }
  return sum / steps;
}

SquareModes modes_of(const EvidencePoint& point) {
  PredictionInput input;
  input.class_probability = point.run().class_probability;
  input.squares = point.experiment.squares;
  return rarefact::modes_of(input);
}

Comparison losses_beside_predicted(const EvidencePoints& points, const std::string& optimizer) {
  Comparison all;
  for (const EvidencePoint& point : points) {
    all.add(point.series(optimizer, "loss"), point.series(optimizer, "loss_predicted"));
    all.add(point.classes(optimizer, "class_loss", point.last_step()),
            point.classes(optimizer, "class_loss_predicted", point.last_step()));
  }
  return all;
}

Points between(const Points& points, double low, double high) {
  return {points.lower_bound(low), points.upper_bound(high)};
}

Points constant(const Points& points, double number) {
  return over(keys(points), std::identity(), [=](double) { return number; });
}

template <class Real>
MatrixOf<Real> block_of(const EvidencePoint& point, const char* side) {
  const bool query = side == std::string("query");
  return rotation_block(
             (query ? point.experiment.query_embedding : point.experiment.answer_embedding).parameters, side)
      .cast<Real>();
}
template MatrixOf<double> block_of(const EvidencePoint&, const char*);
template MatrixOf<Real50> block_of(const EvidencePoint&, const char*);

Finding& compare_rho(CheckReport& report, const EvidencePoints& points, const std::string& optimizer,
                     const std::string& words, const std::string& of, const Number& exact) {
  const auto measured = [&](const char* variable) {
    return collect(points, [&](const auto& point) { return point.at(optimizer, variable, 1); });
  };
  const std::vector<double> threshold = measured("rho_at_threshold");
  report.finding("rho", of).agree(words, threshold, collect(points, exact), rho_rounding);
  report.finding("infimum", of)
      .agree("infimum against the value at the threshold", measured("rho"), threshold, 0);
  return report.findings[report.findings.size() - 2];
}

double deficit_scale(double constant, const EvidencePoint& point) {
  const double total = point.class_total(), epsilon = point.experiment.rho_epsilon;
  return constant * std::log(total * (1 - epsilon) / epsilon) / total;
}

double deficit_constant(const Evidence& evidence, const EvidencePoint& point) {
  return evidence.exact([&]<class Real>(Real) {
    return muon_deficit_constant<Real>(groups_of(point), point.experiment.rho_epsilon);
  });
}

double deviation_constant(const Evidence& evidence, const EvidencePoint& point) {
  // Own entries are 1 + other(i, i), so the others have the deviation, with all their digits.
  return evidence.exact([&]<class Real>(Real) {
    const Real largest = muon_direction<Real>(groups_of(point)).other_entries().cwiseAbs().maxCoeff();
    return Real(largest * Real(point.class_total()));
  });
}

double lost_digits(const EvidencePoint& point) {
  constexpr double rounding = 1e-12;
  if (point.experiment.precision == 50) return rounding;
  return rounding + 100 * std::numeric_limits<double>::epsilon() * point.class_total();
}

}  // namespace rarefact::checks
