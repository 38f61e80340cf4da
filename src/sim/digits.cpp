#include "sim/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/status.hpp"
#include "core/text.hpp"
#include "experiment/precision.hpp"
#include "metrics/metric.hpp"
#include "sim/disagreement.hpp"

namespace rarefact {

namespace {

constexpr double max_digits = std::numeric_limits<double>::digits10;

/// If one repetition has this many digits, no further ones are needed.
constexpr double enough_digits = 10;

/// Excess losses below this fraction of the loss are near a minimum with finite logits, where runs end in the
/// same few doubles and agree by accident.
constexpr double least_excess = 1e-6;

/// Metrics whose digits are reported.
const std::vector<std::string> claimed = {"loss", "excess_loss", "error"};

/// A metric in the run and its repetitions.
using Numbers = std::vector<const std::vector<double>*>;

/// The largest relative difference between any two of the numbers at an index; NaN if all are NaN.
double spread(const Numbers& runs, std::size_t at) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::size_t numbers = 0;
  for (const std::vector<double>* run : runs) {
    const double x = (*run)[at];
    if (std::isnan(x)) continue;
    ++numbers;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (numbers == 0) return std::numeric_limits<double>::quiet_NaN();
  const double size = std::max(std::abs(low), std::abs(high));
  if (numbers < runs.size()) return 1;
  return size < min_certified ? 0 : (high - low) / size;
}

/// The largest spread at a recorded step over its rows.
double largest_spread(const Numbers& runs, std::size_t record, std::size_t records) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  const std::size_t width = runs.front()->size() / records;
  for (std::size_t at = record * width; at < (record + 1) * width; ++at)
    largest = std::fmax(largest, spread(runs, at));
  return largest;
}

/// d_t of a metric; NaN if it has no numbers.
std::vector<double> digits_of(const std::string& metric, std::span<const Trajectory> repetitions,
                              std::size_t records, const Trajectory& run) {
  Numbers numbers = {&run.series.at(metric)};
  for (const Trajectory& trajectory : repetitions) numbers.push_back(&trajectory.series.at(metric));
  const double margin = repetitions.size() > 1 ? 1 : 2;
  std::vector<double> digits;
  double left = repetitions.size() > 1 ? max_digits : max_digits - margin;
  for (std::size_t record = 0; record < records; ++record) {
    const double spread = largest_spread(numbers, record, records);
    if (!std::isnan(spread)) left = std::clamp(-std::log10(spread) - margin, 0.0, left);
    digits.push_back(std::isnan(spread) ? spread : left);
  }
  return digits;
}

}  // namespace

bool one_may_be_enough(const Experiment& experiment) {
  return precision_of(experiment).underflows && !experiment.single();
}

bool one_is_enough(const Trajectory& repetition, const std::vector<std::int64_t>& steps,
                   const Trajectory& run) {
  const bool near_minimum =
      run.series.contains("excess_loss") &&
      !std::ranges::equal(run.series.at("excess_loss"), run.series.at("loss"),
                          [](double excess, double loss) { return !(excess < least_excess * loss); });
  return !near_minimum && std::ranges::all_of(claimed, [&](const std::string& metric) {
    return !run.series.contains(metric) ||
           std::ranges::none_of(digits_of(metric, {&repetition, 1}, steps.size(), run),
                                [](double left) { return left < enough_digits; });
  });
}

void fill_digits(const std::vector<Trajectory>& repetitions, const std::vector<std::int64_t>& steps,
                 Trajectory& run) {
  std::vector<double> fewest(steps.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<std::string> lost;
  std::int64_t first_lost = steps.back();
  for (const std::string& metric : claimed) {
    if (!run.series.contains(metric)) continue;
    const std::vector<double>& digits = run.series[metric + "_digits"] =
        digits_of(metric, repetitions, steps.size(), run);
    for (std::size_t record = 0; record < steps.size(); ++record) {
      fewest[record] = std::fmin(fewest[record], digits[record]);
      if (digits[record] < min_digits) first_lost = std::min(first_lost, steps[record]);
    }
    if (std::ranges::any_of(digits, [](double left) { return left < min_digits; })) lost.push_back(metric);
  }
  run.series["digits"] = std::move(fewest);
  if (lost.empty() || run.status != Status::complete) return;
  run.status = text_of(Status::digits_lost);
  run.status_step = first_lost;
  run.status_detail = fmt::format("rounding leaves fewer than {} digits of {}", min_digits, joined(lost));
}

}  // namespace rarefact
