#include "metrics/query.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/status.hpp"
#include "metrics/rank_band.hpp"

namespace rarefact {

namespace {

using At = Query::At;
using CellKind = TableCell::Kind;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Numbers series_of(const Run& run, const Trajectory& trajectory, const std::string& name, Along along) {
  const auto found = trajectory.series.find(name);
  if (found == trajectory.series.end()) return [](std::size_t, std::size_t) { return missing; };
  const std::size_t width = width_of(run, along);
  return [&values = found->second, width, grouped = along != Along::nothing](std::size_t record,
                                                                             std::size_t row) {
    const std::size_t place = record * width + (grouped ? row : 0);
    return place < values.size() && (!grouped || row < width) ? values[place] : missing;
  };
}

/// The row of the most frequent class (`head`) or of the rarest, from the probability of a class of each row,
/// in any order. If equal up to rounding, the first is the head, the last the tail. Precondition: not empty.
std::size_t end_row(const std::vector<double>& probability, bool head) {
  constexpr double rounding = 1e-12;
  const auto [least, most] = std::ranges::minmax(probability);
  std::size_t row = head ? 0 : probability.size() - 1;
  while (head ? probability[row] < most * (1 - rounding) : probability[row] > least * (1 + rounding))
    head ? ++row : --row;
  return row;
}

/// The numbers of the chosen row along a run.
class ChosenNumbers {
 public:
  ChosenNumbers(const Quantity& quantity, const RowChoice& rows, const Run& run, const Trajectory& trajectory)
      : numbers_(quantity.numbers(run, trajectory)), rows_(rows), width_(width_of(run, quantity.along)) {
    if (quantity.along == Along::nothing) {
      rows_ = {.kind = RowChoice::Kind::row};
    } else if (rows.kind == RowChoice::Kind::band) {
      band_ = rank_band(run, rows.from, rows.to);
    } else if (width_ > 0 && (rows.kind == RowChoice::Kind::head || rows.kind == RowChoice::Kind::tail)) {
      rows_.row =
          end_row(quantity.along == Along::class_groups ? run.class_probability : run.answers->probability,
                  rows.kind == RowChoice::Kind::head);
      rows_.kind = RowChoice::Kind::row;
    }
  }

  double operator()(std::size_t record) const {
    using Kind = RowChoice::Kind;
    if (width_ == 0) return missing;  // for answers in a run without answers
    if (rows_.kind == Kind::row) return numbers_(record, rows_.row);
    if (rows_.kind == Kind::band) return of_band(record);
    double extreme = numbers_(record, 0);
    for (std::size_t row = 1; row < width_ && !std::isnan(extreme); ++row) {
      const double x = numbers_(record, row);
      if (std::isnan(x) || (rows_.kind == Kind::max ? x > extreme : x < extreme)) extreme = x;
    }
    return extreme;
  }

  /// True for a mean over nodes of a quadrature.
  bool of_nodes() const { return band_.of_nodes; }

 private:
  double of_band(std::size_t record) const {
    if (!band_.problem.empty()) return missing;
    double sum = 0, classes = 0;
    for (const auto& [row, count] : band_.rows) {
      sum += count * numbers_(record, row);
      classes += count;
    }
    return sum / classes;
  }

  Numbers numbers_;
  RowChoice rows_;
  std::size_t width_;
  RankBand band_ = {};
};

bool compare(double left, const std::string& sign, double right) {
  if (!std::isfinite(left) || !std::isfinite(right)) return false;
  return sign == "<"    ? left < right
         : sign == ">"  ? left > right
         : sign == "<=" ? left <= right
                        : left >= right;
}

/// The record of the least or largest number, or of a NaN if there is one.
std::size_t extreme_record(const ChosenNumbers& at, std::size_t end, bool largest) {
  std::size_t found = end;
  for (std::size_t r = 0; r < end && !std::isnan(at(found)); ++r) {
    const double x = at(r);
    if (std::isnan(x) || (largest ? x > at(found) : x < at(found))) found = r;
  }
  return found;
}

/// The last record with finite numbers of a diverged run; else the end.
std::size_t last_finite(const Trajectory& trajectory, const std::vector<std::int64_t>& steps) {
  std::size_t record = end_of(trajectory, steps);
  while (trajectory.status == Status::diverged && record > 0 && steps[record] > trajectory.status_step)
    --record;
  return record;
}

/// Among the trajectories that a quantity reads, an unfinished one, else an uncertified one, else its own.
const Trajectory& weakest(const Quantity& value, const Run& run, const Trajectory& own) {
  const auto weakness = [](const Trajectory& trajectory) {
    return !is_finished(trajectory) ? 2 : trajectory.status == Status::uncertified ? 1 : 0;
  };
  const Trajectory* found = value.per_optimizer || value.others.empty() ? &own : nullptr;
  for (const Trajectory& other : run.trajectories) {
    if (std::ranges::count(value.others, other.optimizer) > 0 &&
        (found == nullptr || weakness(other) > weakness(*found)))
      found = &other;
  }
  return found == nullptr ? own : *found;
}

}  // namespace

Quantity recorded(const std::string& name, Along along) {
  Quantity quantity{.name = name, .per_step = true, .along = along};
  quantity.numbers = [name, along](const Run& run, const Trajectory& trajectory) {
    return series_of(run, trajectory, name, along);
  };
  if (name.find("digits") != std::string::npos) return quantity;
  const std::size_t predicted = std::min(name.find("_predicted"), name.size());
  const std::string all = "digits" + name.substr(predicted);
  quantity.digits = [own = name + "_digits", all](const Run& run, const Trajectory& trajectory) {
    return series_of(run, trajectory, trajectory.series.contains(own) ? own : all, Along::nothing);
  };
  return quantity;
}

Quantity constant(double value) {
  Quantity quantity;
  quantity.numbers = [value](const Run&, const Trajectory&) -> Numbers {
    return [value](std::size_t, std::size_t) { return value; };
  };
  return quantity;
}

Quantity total_error() {
  Quantity quantity{.name = "total_error", .per_step = true};
  quantity.numbers = [](const Run&, const Trajectory& trajectory) -> Numbers {
    return [&](std::size_t, std::size_t) { return trajectory.total_error; };
  };
  return quantity;
}

const std::vector<RowChoice>& named_rows() {
  static const std::vector<RowChoice> rows = {
      {"head", RowChoice::Kind::head, " of the head (the most frequent {} row)"},
      {"tail", RowChoice::Kind::tail, " of the tail (the rarest {} row)"},
      {"max", RowChoice::Kind::max, " (max over the {} rows)"},
      {"min", RowChoice::Kind::min, " (min over the {} rows)"},
  };
  return rows;
}

bool is_finished(const Trajectory& trajectory) {
  return trajectory.status == Status::complete || trajectory.status == Status::digits_lost ||
         trajectory.status == Status::uncertified;
}

std::size_t end_of(const Trajectory& trajectory, const std::vector<std::int64_t>& steps) {
  for (std::size_t record = steps.size() - 1; record > 0; --record) {
    for (const auto& [name, values] : trajectory.series) {
      const auto width = static_cast<std::ptrdiff_t>(values.size() / steps.size());
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(record) * width;
      if (std::any_of(begin, begin + width, [](double x) { return !std::isnan(x); })) return record;
    }
  }
  return 0;
}

TableCell answer(const Query& query, const std::vector<std::int64_t>& steps, const Run& run,
                 const Trajectory& own) {
  const Quantity& value = query.value;
  if (value.text) return {.kind = CellKind::words, .words = value.text(own)};
  const ChosenNumbers at(value, query.rows, run, own);
  const Numbers left = value.digits ? value.digits(run, own) : Numbers();
  const Trajectory& trajectory = weakest(value, run, own);
  const bool finished = is_finished(trajectory);
  const TableCell none, ended{.kind = CellKind::words, .words = trajectory.status};
  const auto number = [&](double x) -> TableCell {
    return {.kind = CellKind::number,
            .mean = x,
            .approximate = trajectory.status == Status::uncertified || at.of_nodes()};
  };
  const auto at_or = [&](std::size_t record, const TableCell& other) -> TableCell {
    if (!std::isfinite(at(record))) return other;
    TableCell cell = number(at(record));
    cell.record = record;
    const double digits = left ? left(record, 0) : missing;
    if (!std::isnan(digits)) cell.digits = static_cast<int>(digits);
    if (digits < 1) {
      cell.kind = CellKind::words;
      cell.words = "no digits";
    }
    return cell;
  };
  // A value with digits is made from steps, which a run that ended early may lack.
  if (!value.per_step && !query.searches()) return at_or(0, left && !finished ? ended : none);
  const std::size_t end = end_of(trajectory, steps);
  if (query.at == At::last_finite) return at_or(last_finite(trajectory, steps), none);
  if (query.at == At::record) {
    // If the run diverged only later, the value is missing because no prediction applies.
    const bool before =
        trajectory.status == Status::diverged && steps[query.record] <= trajectory.status_step;
    return at_or(query.record, finished || before ? none : ended);
  }
  if (!query.searches()) {
    // The last value of a diverged run is not its result.
    if (!finished) return ended;
    return at_or(query.at == At::last ? end : extreme_record(at, end, query.at == At::largest), none);
  }
  const ChosenNumbers low(query.when->left, query.rows, run, own);
  const ChosenNumbers high(query.when->right, query.rows, run, own);
  const auto holds = [&](std::size_t record) { return compare(low(record), query.when->sign, high(record)); };
  std::size_t first = query.at == At::for_good ? end + 1 : 0;
  if (query.at == At::for_good) {
    while (first > 0 && holds(first - 1)) --first;
  } else {
    while (first <= end && !holds(first)) ++first;
  }
  if (first <= end && (finished || query.at == At::first))
    return query.shows_step ? number(static_cast<double>(steps[first])) : at_or(first, none);
  if (!finished) return ended;
  // If values end before the last step, the condition may have held later.
  if (!std::isfinite(low(end)) || !std::isfinite(high(end))) return none;
  if (!query.shows_step) return {.kind = CellKind::words, .words = "not reached"};
  return {.kind = CellKind::beyond, .beyond = steps[end]};
}

}  // namespace rarefact
