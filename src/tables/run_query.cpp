#include "tables/run_query.hpp"

#include <algorithm>
#include <bit>

#include "core/status.hpp"
#include "core/transform.hpp"
#include "metrics/update_digits.hpp"
#include "query/array.hpp"

namespace rarefact {

namespace {

using At = Query::At;
using CellKind = TableCell::Kind;
using query::missing;
using Series = const std::vector<double>*;  ///< null if there is none

Series digits_of(const Trajectory& trajectory, const std::string& variable) {
  const std::size_t predicted = std::min(variable.find("_predicted"), variable.size());
  const std::string suffix = variable.substr(predicted);
  Series own = trajectory.find(variable.substr(0, predicted) + "_digits" + suffix);
  if (own == nullptr) own = update_digits(trajectory, variable);
  return own != nullptr ? own : trajectory.find("digits" + suffix);
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

bool compare(double left, const std::string& sign, double right) {
  if (!std::isfinite(left) || !std::isfinite(right)) return false;
  return sign == "<"    ? left < right
         : sign == ">"  ? left > right
         : sign == "<=" ? left <= right
                        : left >= right;
}

bool is_absent(double x) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(absent);
}

/// The place, from 0 to `last`, of the least or largest number, or of a NaN if there is one; absent entries do not count.
template <class Number>
std::size_t extreme_place(const Number& at, std::size_t last, bool largest) {
  std::size_t found = last;
  for (std::size_t i = 0; i < last; ++i) {
    const double x = at(i), most = at(found);
    if (is_absent(x) || (std::isnan(most) && !is_absent(most))) continue;
    if (std::isnan(x) || is_absent(most) || (largest ? x > most : x < most)) found = i;
  }
  return found;
}

template <class Number>
double mean_over(const RankBand& band, const Number& at) {
  double sum = 0, classes = 0;
  for (const auto& [row, count] : band.rows) {
    sum += count * at(row);
    classes += count;
  }
  return band.problem.empty() ? sum / classes : missing;
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
  if (name.find("digits") == std::string::npos) quantity.variables = {name};
  quantity.numbers = [name, along](const Run& run) -> Numbers {
    const auto series =
        mapped(run.trajectories, [&](const Trajectory& trajectory) { return trajectory.find(name); });
    return
        [series, width = width_of(run, along)](std::size_t optimizer, std::size_t record, std::size_t row) {
          const Series values = series[optimizer];
          const std::size_t place = record * width + row;
          return values != nullptr && row < width && place < values->size() ? (*values)[place] : missing;
        };
  };
  return quantity;
}

Quantity constant(double value) {
  return {.numbers = [value](const Run&) -> Numbers {
    return [value](std::size_t, std::size_t, std::size_t) { return value; };
  }};
}

double digits_left(const Quantity& quantity, const Run& run, std::size_t optimizer, std::size_t record) {
  double fewest = missing;
  for (std::size_t o = 0; o < run.trajectories.size(); ++o) {
    const Trajectory& read = run.trajectories[o];
    if (!(quantity.per_optimizer && o == optimizer) &&
        std::ranges::count(quantity.others, read.optimizer) == 0)
      continue;
    for (const std::string& variable : quantity.variables) {
      const Series digits = digits_of(read, variable);
      if (digits == nullptr) continue;
      for (std::size_t r = 0; r < digits->size(); ++r)
        if (!quantity.per_step || r == record) fewest = std::fmin(fewest, (*digits)[r]);
    }
  }
  return fewest;
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

RunAnswers::RunAnswers(const Query& query, const std::vector<std::int64_t>& steps, const Run& run)
    : query_(query), steps_(steps), run_(run) {
  if (query.rows.kind == RowChoice::Kind::band) band_ = rank_band(run, {query.rows.from, query.rows.to});
  if (query.when) {
    left_ = chosen(query.when->left);
    right_ = chosen(query.when->right);
  }
  if (query.value.numbers) value_ = query.shows_step ? left_ : chosen(query.value);
}

RunAnswers::RowNumbers RunAnswers::chosen(const Quantity& quantity) const {
  using RowKind = RowChoice::Kind;
  const Numbers numbers = quantity.numbers(run_);
  const std::size_t width = width_of(run_, quantity.along);
  if (quantity.along == Along::nothing)
    return [numbers](std::size_t o, std::size_t record, auto) { return numbers(o, record, 0); };
  if (width == 0) return [](auto...) { return missing; };  // of answers in a run without answers
  const auto& probability = quantity.along == Along::class_groups ? run_.class_probability
                            : quantity.along == Along::bands      ? run_.band_probability
                                                                  : run_.answers->probability;
  const RowKind kind = query_.rows.kind;
  const auto named = std::ranges::find(run_.band_name, query_.rows.name);
  const std::size_t one = kind == RowKind::row    ? query_.rows.row
                          : kind == RowKind::name ? static_cast<std::size_t>(named - run_.band_name.begin())
                                                  : end_row(probability, kind == RowKind::head);
  return [=, band = band_](std::size_t o, std::size_t record, std::optional<std::size_t> given) {
    const auto at = [&](std::size_t row) { return numbers(o, record, row); };
    if (given) return at(*given);
    if (kind == RowKind::max || kind == RowKind::min)
      return at(extreme_place(at, width - 1, kind == RowKind::max));
    return kind == RowKind::band ? mean_over(band, at) : at(one);
  };
}

TableCell RunAnswers::operator()(std::size_t optimizer, std::optional<std::size_t> row,
                                 std::optional<std::size_t> record) const {
  const Quantity& value = query_.value;
  const Trajectory& own = run_.trajectories[optimizer];
  if (value.text != nullptr) return {.kind = CellKind::words, .words = own.*value.text};
  const Trajectory& trajectory = weakest(value, run_, own);
  const bool finished = is_finished(trajectory);
  const TableCell none, ended{.kind = CellKind::words, .words = trajectory.status};
  const auto along_run = [&](const RowNumbers& numbers) {
    return [&](std::size_t place) { return numbers(optimizer, place, row); };
  };
  const auto at = along_run(value_), low = along_run(left_), high = along_run(right_);
  const auto number = [&](double x) -> TableCell {
    return {.kind = CellKind::number,
            .mean = x,
            .approximate = trajectory.status == Status::uncertified ||
                           (band_.of_nodes && value.along != Along::nothing) ||
                           (value.over_classes && has_nodes(run_))};
  };
  const auto at_or = [&](std::size_t place, const TableCell& other) -> TableCell {
    if (!std::isfinite(at(place))) return other;
    TableCell cell = number(at(place));
    cell.record = place;
    const double digits = digits_left(value, run_, optimizer, place);
    if (!std::isnan(digits)) {
      cell.digits = static_cast<int>(digits);
      cell.measured = 1;
    }
    if (digits < 1) {
      cell.kind = CellKind::words;
      cell.words = "no digits";
    }
    return cell;
  };
  // A value with digits is made from steps, which a run that ended early may lack.
  if (!value.per_step && !query_.when) return at_or(0, !value.variables.empty() && !finished ? ended : none);
  const std::size_t end = end_of(trajectory, steps_);
  if (query_.at == At::last_finite) return at_or(last_finite(trajectory, steps_), none);
  if (record) {
    // If the run diverged only later, the value is missing because no prediction applies.
    const bool before = trajectory.status == Status::diverged && steps_[*record] <= trajectory.status_step;
    return at_or(*record, finished || before ? none : ended);
  }
  if (!query_.when) {
    // The last value of a diverged run is not its result.
    if (!finished) return ended;
    return at_or(query_.at == At::last ? end : extreme_place(at, end, query_.at == At::largest), none);
  }
  const auto holds = [&](std::size_t place) { return compare(low(place), query_.when->sign, high(place)); };
  std::size_t first = query_.at == At::for_good ? end + 1 : 0;
  if (query_.at == At::for_good) {
    while (first > 0 && holds(first - 1)) --first;
  } else {
    while (first <= end && !holds(first)) ++first;
  }
  if (first <= end && (finished || query_.at == At::first))
    return query_.shows_step ? number(static_cast<double>(steps_[first])) : at_or(first, none);
  if (!finished) return ended;
  // If values end before the last step, the condition may have held later.
  if (!std::isfinite(low(end)) || !std::isfinite(high(end))) return none;
  if (!query_.shows_step) return {.kind = CellKind::words, .words = "not reached"};
  return {.kind = CellKind::beyond, .beyond = steps_[end]};
}

}  // namespace rarefact
