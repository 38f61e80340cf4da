#include "sim/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/status.hpp"
#include "core/text.hpp"
#include "metrics/probe.hpp"

namespace rarefact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Smaller numbers are not compared, because they become subnormal or 0.
constexpr double min_compared = 1e-300;

constexpr double max_digits = std::numeric_limits<double>::digits10;

/// If one repetition has this many digits, no further ones are needed.
constexpr double enough_digits = 10;

/// Excess losses below this fraction of the loss are near a minimum with finite logits, where runs end in the
/// same few doubles and agree by accident.
constexpr double least_excess = 1e-6;

/// Below this fraction of its first value an excess loss may be rounding.
constexpr double least_certified = 1e-10;

/// Further metrics whose digits are reported: of W, and of the next update.
const std::vector<std::string> of_weight = {"balance", "root_balance", "class_loss"},
                               of_update = {"push", "alignment"};

/// Metrics of the next update whose least digits are those of all its other measures.
const std::vector<std::string> of_curvature = {"curvature_penalty", "nds"};

/// A metric in the run and its repetitions.
using RunSeries = std::vector<const std::vector<double>*>;

/// The largest difference between any two values, relative to the first or else to the largest; NaN if all are
/// NaN, infinite if some are.
double spread(std::span<const double> values, bool of_first) {
  double low = infinite, high = -low;
  std::size_t numbers = 0;
  for (const double x : values) {
    if (std::isnan(x)) continue;
    ++numbers;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (numbers == 0) return std::numeric_limits<double>::quiet_NaN();
  const double size = std::max(std::abs(low), std::abs(high));
  if (numbers < values.size()) return infinite;
  if (low == high || size < min_compared) return 0;
  const double difference = (high - low) / (of_first ? std::abs(values.front()) : size);
  return std::isnan(difference) ? infinite : difference;
}

/// The difference of metrics that share a scale.
struct Beside {
  double size = 0, off = 0;

  void add(double x, double y) {
    size = std::fmax(size, std::fmax(std::abs(x), std::abs(y)));
    if (x == y || (std::isnan(x) && std::isnan(y))) return;
    off = std::isnan(x - y) ? infinite : std::max(off, std::abs(x - y));
  }
  double difference() const { return std::isinf(off) ? off : size < min_compared ? 0 : off / size; }
};

/// The largest difference at one step between metrics of one probe, or of the classes.
double difference_of(const std::vector<MetricRow>& rows, const Trajectory& run, const Trajectory& other,
                     std::size_t record, std::size_t records) {
  double largest = 0;
  Beside beside;
  for (const MetricRow& row : rows) {
    if (row.certified == Certified::no) continue;
    for (const auto& [name, of] : row.stored_in(run.series)) {
      if (!other.find(name)) continue;
      const std::vector<double>&x = *run.find(name), &y = *other.find(name);
      if (x.size() != y.size()) return infinite;
      const std::size_t width = x.size() / records;
      for (std::size_t i = record * width; i < (record + 1) * width; ++i) {
        if (row.certified == Certified::beside) {
          beside.add(x[i], y[i]);
          continue;
        }
        const double part = spread(std::array{x[i], y[i]}, true),
                     small = least_certified * std::abs(x[i % width]);
        const bool rounding = row.certified == Certified::above_rounding && std::abs(x[i]) < small;
        largest = std::fmax(largest, rounding ? std::abs(x[i] - y[i]) / small : part);
      }
    }
  }
  return std::max(largest, beside.difference());
}

/// The largest spread at a recorded step over its rows, no less than the rounding of margins in e^-margin: by `unit` of
/// the margin.
double largest_spread(const RunSeries& runs, std::size_t record, std::size_t records, double unit) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  const std::size_t width = runs.front()->size() / records;
  std::vector<double> values(runs.size());
  for (std::size_t at = record * width; at < (record + 1) * width; ++at) {
    std::ranges::transform(runs, values.begin(), [&](const auto* run) { return (*run)[at]; });
    const double here = spread(values, false), size = std::abs(values.front());
    largest =
        std::fmax(largest, size > min_compared ? std::fmax(here, unit * std::abs(std::log(size))) : here);
  }
  return largest;
}

/// d_t of a metric; NaN if it has no numbers. `unit`: of the rounding of margins in numbers that decrease exponentially;
/// `chance`: digits that are subtracted besides.
std::vector<double> digits_of(const std::string& metric, std::span<const Trajectory> repetitions,
                              std::size_t records, const Trajectory& run, double unit = 0,
                              double chance = 0) {
  RunSeries numbers = {&run.series.at(metric)};
  for (const Trajectory& trajectory : repetitions) numbers.push_back(&trajectory.series.at(metric));
  const double margin = repetitions.size() > 1 ? 1 : 2;
  std::vector<double> digits;
  double left = (repetitions.size() > 1 ? max_digits : max_digits - margin) - chance;
  for (std::size_t record = 0; record < records; ++record) {
    // Only chance needs a larger margin.
    const double spread = largest_spread(numbers, record, records, unit * std::pow(10, 1 - margin));
    if (!std::isnan(spread)) left = std::clamp(-std::log10(spread) - margin - chance, 0.0, left);
    digits.push_back(std::isnan(spread) ? spread : left);
  }
  return digits;
}

/// The largest difference between the numbers of two runs.
double difference_of(const std::vector<std::string>& variables, const Trajectory& run,
                     const Trajectory& other) {
  return differences(variables, run, other, 1).front();
}

}  // namespace

std::vector<double> differences(const std::vector<std::string>& variables, const Trajectory& run,
                                const Trajectory& other, std::size_t records) {
  std::vector<double> largest(records, 0);
  for (const std::string& variable : variables) {
    const std::vector<double>*a = run.find(variable), *b = other.find(variable);
    if (!a || !b) continue;
    const std::size_t width = std::max<std::size_t>(1, a->size() / records);
    for (std::size_t i = 0; i < std::min({a->size(), b->size(), width * records}); ++i)
      largest[i / width] = std::fmax(largest[i / width], spread(std::array{(*a)[i], (*b)[i]}, false));
  }
  return largest;
}

std::optional<std::int64_t> first_difference(const std::vector<std::string>& variables, const Trajectory& run,
                                             const Trajectory& other,
                                             const std::vector<std::int64_t>& steps) {
  const std::vector<double> apart = differences(variables, run, other, steps.size());
  const auto first = std::ranges::find_if(apart, [](double difference) { return difference > 0; });
  if (first == apart.end()) return std::nullopt;
  return steps[static_cast<std::size_t>(first - apart.begin())];
}

const std::vector<std::string> claimed_metrics = {"loss", "excess_loss", "error"};

double disagreement(const Trajectory& run, const Trajectory& other, std::size_t records) {
  double largest = std::fmax(difference_of({"band_error"}, run, other),
                             spread(std::array{run.total_error, other.total_error}, true));
  for (std::size_t record = 0; record < records; ++record) {
    // Of probes this has what is compared by itself; what shares a scale differs less beside all probes than beside its own.
    largest = std::max(largest, difference_of(metric_catalogue(), run, other, record, records));
    for (const Probe& probe : probes())
      largest = std::max(largest, difference_of(probe.rows, run, other, record, records));
  }
  return largest;
}

double class_difference(const Trajectory& run, const Trajectory& other) {
  return difference_of({"error", "class_loss"}, run, other);
}

bool one_may_be_enough(const Experiment& experiment, bool thin) {
  return !thin && precision_of(experiment).underflows && !experiment.single();
}

bool one_is_enough(const Trajectory& repetition, const std::vector<std::int64_t>& steps,
                   const Trajectory& run) {
  const bool near_minimum =
      run.series.contains("excess_loss") &&
      !std::ranges::equal(run.series.at("excess_loss"), run.series.at("loss"),
                          [](double excess, double loss) { return !(excess < least_excess * loss); });
  return !near_minimum && std::ranges::all_of(claimed_metrics, [&](const std::string& metric) {
    return !run.series.contains(metric) ||
           std::ranges::none_of(digits_of(metric, {&repetition, 1}, steps.size(), run),
                                [](double left) { return left < enough_digits; });
  });
}

std::vector<double> fewest_digits(const std::vector<Trajectory>& repetitions, std::size_t records,
                                  const Trajectory& run, const std::string& suffix,
                                  const std::vector<std::string>& metrics) {
  std::vector<double> fewest(records, std::numeric_limits<double>::quiet_NaN());
  for (const std::string& metric : metrics) {
    if (!run.series.contains(metric + suffix)) continue;
    const std::vector<double> digits = digits_of(metric + suffix, repetitions, records, run);
    for (std::size_t record = 0; record < records; ++record)
      fewest[record] = std::fmin(fewest[record], digits[record]);
  }
  return fewest;
}

std::optional<std::int64_t> lost_direction(const std::vector<RankFrom>& run,
                                           const std::vector<RankFrom>& tame, bool steady) {
  RankFrom here, expected;
  double most = 0;
  for (auto a = run.begin(), b = tame.begin(); a != run.end() || b != tame.end();) {
    const bool of_run = b == tame.end() || (a != run.end() && a->step < b->step);
    const std::int64_t step = of_run ? a->step : b->step;
    if (a != run.end() && a->step == step) here = *a++;
    if (b != tame.end() && b->step == step) expected = *b++;
    if (here.rank < (steady ? std::max(most, expected.rank) : expected.rank) ||
        here.dropped > expected.dropped)
      return step;
    if (std::isfinite(here.rank)) most = std::max(most, here.rank);
  }
  return std::nullopt;
}

std::optional<std::int64_t> hidden_direction(const std::vector<RankFrom>& ranks) {
  for (auto now = ranks.begin(); now != ranks.end(); ++now) {
    const bool counts = now != ranks.begin() && now->rank > 0;
    if (counts && std::any_of(now, ranks.end(), [&](const RankFrom& later) {
          return std::isfinite(later.rank) && later.rank > now->rank;
        }))
      return now->step;
  }
  return std::nullopt;
}

void fill_digits(const std::vector<Trajectory>& repetitions, const std::vector<std::int64_t>& steps,
                 std::optional<std::int64_t> lost_at, double unit, double chance, Trajectory& run) {
  const std::size_t records = steps.size();
  const std::int64_t never = std::numeric_limits<std::int64_t>::max(), lost_step = lost_at.value_or(never);
  std::vector<double> fewest(records, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::string> lost;
  std::int64_t first_lost = steps.back();
  // `from`: the first step at which there are none.
  const auto measured = [&](const std::string& metric, std::int64_t from, double least_unit) {
    std::vector<double> digits = digits_of(metric, repetitions, records, run, least_unit, chance);
    for (std::size_t record = 0; record < records; ++record)
      if (steps[record] >= from && !std::isnan(digits[record])) digits[record] = 0;
    return digits;
  };
  const std::int64_t after = lost_at ? lost_step + 1 : never;
  for (const std::string& metric : claimed_metrics) {
    if (!run.series.contains(metric)) continue;
    const std::vector<double>& digits = run.series[metric + "_digits"] = measured(metric, after, unit);
    for (std::size_t record = 0; record < records; ++record) {
      fewest[record] = std::fmin(fewest[record], digits[record]);
      if (digits[record] < min_digits) first_lost = std::min(first_lost, steps[record]);
    }
    if (std::ranges::any_of(digits, [](double left) { return left < min_digits; })) lost.push_back(metric);
  }
  for (const std::string& metric : of_weight) {
    // The digits of a softmax's class losses are those of its errors.
    if (!run.series.contains(metric) || (metric == "class_loss" && run.series.contains("error"))) continue;
    run.series[metric + "_digits"] = measured(metric, after, 0);
  }
  const auto has_fewer = [&](const std::vector<double>& digits) {
    return !std::ranges::equal(digits, fewest, [](double x, double y) { return !(x < y - 1); });
  };
  // A difference of losses, which may be far smaller than they.
  if (run.series.contains("loss_drop"))
    if (std::vector<double> digits = measured("loss_drop", after, 0); has_fewer(digits))
      run.series["loss_drop_digits"] = std::move(digits);
  std::vector<double> left = fewest;  // of measures of the update
  const auto lower = [](std::vector<double>& digits, const std::vector<double>& bound) {
    std::ranges::transform(digits, bound, digits.begin(), [](double x, double y) { return std::fmin(x, y); });
  };
  const auto sums = run.series.find("update_digits");  // of D + λW
  if (sums != run.series.end()) lower(left, sums->second);
  for (const std::string& metric : of_update) {
    if (!run.series.contains(metric)) continue;
    std::vector<double>& digits = run.series[metric + "_digits"] = measured(metric, lost_step, 0);
    if (sums != run.series.end()) lower(digits, left);
  }
  for (const std::string& metric : of_curvature)
    if (run.series.contains(metric)) lower(left, measured(metric, lost_step, 0));
  for (std::size_t record = 0; record < records; ++record)
    if (steps[record] >= lost_step && !std::isnan(left[record])) left[record] = 0;
  if (sums != run.series.end() || has_fewer(left)) run.series["update_digits"] = std::move(left);
  run.series["digits"] = std::move(fewest);
  if (lost.empty() || run.status != Status::complete) return;
  run.status = text_of(Status::digits_lost);
  run.status_step = first_lost;
  run.status_detail =
      fmt::format("rounding in {}; shorten the run, or set run.precision = 50 if engine symmetric can run it",
                  joined(lost));
  if (lost_at && first_lost > *lost_at)
    run.status_detail += fmt::format("; the rule loses a direction of the gradient at step {}", *lost_at);
}

}  // namespace rarefact
