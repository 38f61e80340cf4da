#include <algorithm>

#include "core/student_t.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "tables/run_query.hpp"

namespace rarefact {

namespace {

using CellKind = TableCell::Kind;

void mean(std::vector<double> numbers, TableCell& cell) {
  const MeanInterval found = mean_interval(numbers);
  cell.mean = found.mean;
  cell.half_width = found.half_width;
}

void geometric_mean(std::vector<double> numbers, TableCell& cell) {
  if (std::ranges::min(numbers) <= 0) {
    cell.kind = CellKind::words;
    cell.words = "not positive";
    return;
  }
  const MeanInterval found = mean_interval(mapped(numbers, [](double x) { return std::log(x); }));
  cell.mean = std::exp(found.mean);
  cell.low = std::exp(found.mean - found.half_width);
  cell.high = std::exp(found.mean + found.half_width);
}

/// The median lies between the k-th least and the k-th largest of n numbers, except with probability 2 P(B <
/// k), B binomial (n, 1/2).
void median(std::vector<double> numbers, TableCell& cell) {
  std::ranges::sort(numbers);
  const std::size_t n = numbers.size();
  cell.mean = (numbers[(n - 1) / 2] + numbers[n / 2]) / 2;
  std::size_t k = 0;  // from 0
  // In logarithms, because 1/2^n underflows.
  double log_term = static_cast<double>(n) * std::log(0.5), below = std::exp(log_term);
  while (k + 1 < (n + 1) / 2) {
    log_term += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
    below += std::exp(log_term);
    if (2 * below > 0.05) break;
    ++k;
  }
  cell.low = numbers[k];
  cell.high = numbers[n - 1 - k];
}

}  // namespace

const std::vector<Average>& averages() {
  static const std::vector<Average> rows = {
      {"mean", "mean and 95 % confidence interval (Student t)", mean},
      {"geometric-mean", "geometric mean and its 95 % confidence interval (Student t of the logarithms)",
       geometric_mean},
      {"median",
       "median and its 95 % confidence interval (order statistics; of fewer than 6 runs the least and the largest)",
       median, true},
  };
  return rows;
}

TableCell together(const std::vector<TableCell>& cells, bool searched, const Average& average) {
  TableCell cell = cells.front();
  cell.runs = static_cast<int>(cells.size());
  if (cells.size() == 1) return cell;
  cell.measured = 0;
  std::map<CellKind, int> of_kind;
  std::map<std::string, int> of_words;
  for (const TableCell& entry : cells) {
    ++of_kind[entry.kind];
    if (entry.kind == CellKind::words) ++of_words[entry.words];
    if (entry.kind == CellKind::beyond)
      cell.beyond = cell.beyond == 0 ? entry.beyond : std::min(cell.beyond, entry.beyond);
    cell.approximate = cell.approximate || entry.approximate;
    cell.digits = std::min(cell.digits, entry.digits);
    cell.measured += entry.measured;
  }
  if (of_kind.size() > 1) cell.kind = CellKind::words;
  std::vector<std::string> parts;
  if (of_kind[CellKind::beyond] > 0 || (searched && of_kind[CellKind::number] > 0))
    parts.push_back(fmt::format("{}/{} reached", of_kind[CellKind::number], cell.runs));
  for (const auto& [text, count] : of_words)
    parts.push_back(count == cell.runs ? text : fmt::format("{}/{} {}", count, cell.runs, text));
  if (const int missing = of_kind[CellKind::missing]; missing > 0)
    parts.push_back(fmt::format("{}/{} missing", missing, cell.runs));
  cell.words = joined(parts);
  const int ordered = of_kind[CellKind::number] + of_kind[CellKind::beyond];
  if (cell.kind == CellKind::number || (average.censored && ordered == cell.runs)) {
    TableCell averaged = cell;
    averaged.kind = CellKind::number;
    average.of(mapped(cells,
                      [](const TableCell& entry) {
                        return entry.kind == CellKind::beyond ? std::numeric_limits<double>::infinity()
                                                              : entry.mean;
                      }),
               averaged);
    if (std::isfinite(averaged.mean)) return averaged;
  }
  return cell;
}

}  // namespace rarefact
