#pragma once

// What a point file says in its dataset `contents`: lines of fields separated by tabs, in the order of the
// numbers in `values`.
//
//   values    step | class_count | class_probability | class_log_rank, how many
//   optimizer label, engine, engine_reason, status, status_step, status_detail, quadrature_error,
//   quadrature_nodes variable  name, long_name, units, class | total, source, validity series    index of the
//   optimizer, index of the variable, how many
//
// In texts a backslash stands before backslash, n (line break), t (tab) and r.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "sim/result.hpp"

namespace rarefact {

inline constexpr std::int64_t point_format_version = 2;

struct PointText {
  std::string contents;
  std::vector<double> values;
};

/// Precondition: one run.
PointText point_text(const Result& result);

/// Puts what the lines say into `result`; `values` are the bytes of the numbers. Without `series` their
/// values are left out. Returns what is wrong with the lines, if something is.
std::optional<std::string> read_contents(std::string_view contents, std::span<const std::byte> values,
                                         bool series, Result& result);

/// Whether the whole text is a number of that type.
template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace rarefact
