#include "sim/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/status.hpp"
#include "core/text.hpp"
#include "metrics/metric.hpp"
#include "sim/disagreement.hpp"

namespace rarefact {

namespace {

constexpr double max_digits = std::numeric_limits<double>::digits10;

/// One metric of every run.
using Numbers = std::vector<const std::vector<double>*>;

/// The largest relative difference between any two of these numbers; NaN if all are NaN.
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

}  // namespace

void fill_digits(const std::vector<Trajectory>& repetitions, const std::vector<std::int64_t>& steps,
                 Trajectory& run) {
  std::vector<double> least(steps.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<std::string> lost;
  std::int64_t first_lost = steps.back();
  for (const std::string of : {"loss", "excess_loss", "error"}) {
    if (!run.series.contains(of)) continue;
    Numbers numbers = {&run.series.at(of)};
    for (const Trajectory& trajectory : repetitions) numbers.push_back(&trajectory.series.at(of));
    std::vector<double>& digits = run.series[of + "_digits"];
    double left = max_digits;
    for (std::size_t record = 0; record < steps.size(); ++record) {
      const double spread = largest_spread(numbers, record, steps.size());
      if (!std::isnan(spread)) left = std::clamp(-std::log10(spread) - 1, 0.0, left);
      digits.push_back(std::isnan(spread) ? spread : left);
      least[record] = std::fmin(least[record], digits[record]);
      if (digits[record] < min_digits) first_lost = std::min(first_lost, steps[record]);
    }
    if (left < min_digits) lost.push_back(of);
  }
  run.series["digits"] = std::move(least);
  if (lost.empty() || run.status != Status::complete) return;
  run.status = text_of(Status::digits_lost);
  run.status_step = first_lost;
  run.status_detail = fmt::format("rounding leaves fewer than {} digits of {}", min_digits, joined(lost));
}

}  // namespace rarefact
