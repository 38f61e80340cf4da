#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <charconv>
#include <cmath>
#include <map>

#include "core/catalogue.hpp"
#include "tables/table_parts.hpp"

namespace rarefact {

namespace {

/// Mean and half width of its 95 % confidence interval.
void average(const std::vector<TableSample>& samples, TableCell& cell) {
  const double n = static_cast<double>(samples.size());
  double scale = 0;
  for (const TableSample& sample : samples) scale = std::max(scale, std::abs(sample.number));
  if (samples.size() == 1 || scale == 0) {
    cell.mean = samples.front().number;
    return;
  }
  // In units of the largest, since the square of 1e-200 is no double.
  double mean = 0, squares = 0;
  for (const TableSample& sample : samples) mean += sample.number / scale;
  mean /= n;
  for (const TableSample& sample : samples) squares += std::pow(sample.number / scale - mean, 2);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  cell.mean = mean * scale;
  cell.half_width = t * std::sqrt(squares / (n - 1) / n) * scale;
}

}  // namespace

TableCell table_cell(const std::vector<TableSample>& samples, bool crossing) {
  using SampleKind = TableSample::Kind;
  TableCell cell;
  cell.runs = static_cast<int>(samples.size());
  if (samples.empty()) return cell;
  std::map<std::string, int> counts;
  std::size_t numbers = 0, not_reached = 0, without = 0;
  cell.beyond = samples.front().last_step;
  for (const TableSample& sample : samples) {
    if (sample.kind == SampleKind::number) ++numbers;
    cell.approximate = cell.approximate || sample.approximate;
    if (sample.kind == SampleKind::missing) ++without;
    if (sample.kind == SampleKind::ended || sample.kind == SampleKind::text) ++counts[sample.text];
    if (sample.kind != SampleKind::not_reached) continue;
    ++not_reached;
    cell.beyond = std::min(cell.beyond, sample.last_step);
  }
  if (numbers == samples.size()) {
    cell.kind = TableCell::Kind::number;
    average(samples, cell);
  } else if (not_reached == samples.size()) {
    cell.kind = TableCell::Kind::beyond;
  } else if (without < samples.size()) {
    cell.kind = TableCell::Kind::words;
    std::vector<std::string> parts;
    if (not_reached > 0 || (crossing && numbers > 0)) {
      parts.push_back(fmt::format("{}/{} reached", numbers, cell.runs));
    }
    for (const auto& [text, count] : counts) {
      parts.push_back(count == cell.runs ? text : fmt::format("{}/{} {}", count, cell.runs, text));
    }
    if (without > 0) parts.push_back(fmt::format("{}/{} missing", without, cell.runs));
    cell.words = joined(parts);
  }
  return cell;
}

namespace {

/// Power of ten of the first of `digits` significant digits, after rounding to them.
int exponent_of(double x, int digits) {
  if (x == 0) return 0;
  const std::string text = fmt::format("{:.{}e}", x, digits - 1);
  int exponent = 0;
  const std::size_t start = text.find('e') + (text[text.find('e') + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + start, text.data() + text.size(), exponent);
  return exponent;
}

/// Whether a number of this power of ten is written without one.
bool plain(int exponent) {
  return exponent >= -4 && exponent < 6;
}

bool whole(double x) {
  return x == std::floor(x) && std::abs(x) < 1e6;
}

}  // namespace

std::string number_text(double x, int digits, bool counts) {
  if (x == 0 || (counts && whole(x))) return fmt::format("{:.0f}", x + 0.0);
  const int exponent = exponent_of(x, digits);
  if (plain(exponent)) return fmt::format("{:.{}f}", x, std::max(0, digits - 1 - exponent));
  return fmt::format("{:.{}e}", x, digits - 1);
}

std::string interval_text(double mean, double half_width, int digits) {
  if (half_width == 0) return number_text(mean, digits) + " ± 0";
  int exponent = exponent_of(mean == 0 ? half_width : mean, digits);
  std::string power;
  if (!plain(exponent)) {
    power = fmt::format("e{:+03d}", exponent);
    // Long, since 1e-310 as a double has few digits left.
    const long double unit = std::pow(10.0L, exponent);
    mean = static_cast<double>(mean / unit);
    half_width = static_cast<double>(half_width / unit);
    exponent = 0;
  }
  const int decimals = std::max(0, digits - 1 - exponent);
  const std::string half = -exponent_of(half_width, 1) > decimals
                               ? number_text(half_width, 1)
                               : fmt::format("{:.{}f}", half_width, decimals);
  const std::string text = fmt::format("{:.{}f} ± {}", mean, decimals, half);
  return power.empty() ? text : fmt::format("({}){}", text, power);
}

std::string axis_text(const AxisValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  // Twelve digits hide the rounding of a computed grid.
  const double exact = std::get<double>(value);
  const double x = number_from(fmt::format("{:.12g}", exact)).value_or(exact);
  if (x == std::floor(x) && std::abs(x) < 1e7) return fmt::format("{:.0f}", x + 0.0);
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

}  // namespace rarefact
