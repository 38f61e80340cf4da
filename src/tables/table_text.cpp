#include "tables/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.hpp"

namespace rarefact {

namespace {

/// Power of ten of the first of `digits` significant digits, after rounding to them.
int exponent_of(double x, int digits) {
  const std::string text = fmt::format("{:.{}e}", x, digits - 1);
  return x == 0 ? 0 : std::stoi(text.substr(text.find('e') + 1));
}

/// Whether a number of this power of ten is written without one.
bool plain(int exponent) {
  return exponent >= -4 && exponent < 6;
}

/// "1.23", "0.900", "1.20e-05": `digits` significant digits; counts below a million as they are.
std::string number_text(double x, int digits, bool counts) {
  const bool whole = x == std::floor(x) && std::abs(x) < 1e6;
  if (x == 0 || (counts && whole)) return fmt::format("{:.0f}", x + 0.0);
  const int exponent = exponent_of(x, digits);
  if (plain(exponent)) return fmt::format("{:.{}f}", x, std::max(0, digits - 1 - exponent));
  return fmt::format("{:.{}e}", x, digits - 1);
}

/// "1.23 ± 0.04", "(1.23 ± 0.04)e-05": the mean with `digits` significant digits, the half width with as many
/// decimals, or its first digit where that is finer.
std::string interval_text(double mean, double half_width, int digits) {
  if (half_width == 0) return number_text(mean, digits, true) + " ± 0";
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
  const bool finer = -exponent_of(half_width, 1) > decimals;
  const std::string half =
      finer ? number_text(half_width, 1, true) : fmt::format("{:.{}f}", half_width, decimals);
  const std::string text = fmt::format("{:.{}f} ± {}", mean, decimals, half);
  return power.empty() ? text : fmt::format("({}){}", text, power);
}

}  // namespace

std::string axis_text(const AxisValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  // Twelve digits hide the rounding of a computed grid.
  const double x = *parse_number<double>(fmt::format("{:.12g}", std::get<double>(value)));
  if (x == std::floor(x) && std::abs(x) < 1e7) return fmt::format("{:.0f}", x + 0.0);
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr};
}

std::string cell_text(const TableCell& cell, int digits) {
  if (cell.kind == TableCell::Kind::words) return cell.words;
  if (cell.kind == TableCell::Kind::missing) return "-";
  if (cell.kind == TableCell::Kind::number) {
    return (cell.approximate ? "≈" : "") + (cell.runs > 1 ? interval_text(cell.mean, cell.half_width, digits)
                                                          : number_text(cell.mean, digits, cell.counts));
  }
  const std::string step = std::to_string(cell.beyond);
  const bool power = step.size() > 2 && step[0] == '1' && step.find_first_not_of('0', 1) == std::string::npos;
  return power ? fmt::format(">10^{}", step.size() - 1) : ">" + step;
}

}  // namespace rarefact
