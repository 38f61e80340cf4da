#pragma once

/// One finished point of a sweep as a record (io/sealed_record.hpp), all but the series before the series, so that one
/// can look at the former alone. Title, experiment text, index and parameters are not in it: they belong to the sweep,
/// not to the point.

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// The name of a point: the hexadecimal digits of a SHA-256.
struct PointId {
  std::array<char, 64> digits{};
  auto operator<=>(const PointId&) const = default;
  std::string hex() const { return {digits.data(), digits.size()}; }
};

/// The point of 64 hexadecimal digits; nothing where they are none.
std::optional<PointId> point_named(std::string_view digits);

/// complete, or how the least successful optimizer ended.
std::string worst_status(const Run& run);

struct PointRecord {
  std::string status;  ///< the worst one
  Result result;       ///< one run
};

/// How the record of any point starts: this, its digits, its length.
inline constexpr std::string_view point_title = "rarefact point 6 ";
inline constexpr std::size_t point_line_bytes = point_title.size() + 64 + 18;

/// The record of a result with one run.
std::vector<std::byte> encode_point(const PointId& id, Result result);

enum class PointPart { head, all };

/// The point of a record whose seal agrees; of its head alone the series are empty. DamagedResult "place: why" if the
/// bytes are not the whole record of this point.
PointRecord decode_point(std::span<const std::byte> bytes, const PointId& id, const std::string& place,
                         PointPart part);

}  // namespace rarefact
