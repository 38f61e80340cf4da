#pragma once

/// A finished point of a sweep as a record (io/sealed_record.hpp): first everything except the series, to be read alone,
/// then the series. Title, experiment text, index and parameters belong to the sweep.

#include <array>
#include <compare>
#include <cstddef>
#include <span>
#include <string_view>

#include "rarefact/result.hpp"

namespace rarefact {

/// The name of a point: the hexadecimal digits of a SHA-256.
struct PointId {
  std::array<char, 64> digits{};
  auto operator<=>(const PointId&) const = default;
  std::string hex() const { return {digits.data(), digits.size()}; }
};

/// The point with these 64 hexadecimal digits; nullopt if they are not.
std::optional<PointId> point_named(std::string_view digits);

/// "complete", or the worst status of any optimizer.
std::string worst_status(const Run& run);

struct PointRecord {
  std::string status;  ///< the worst one
  Result result;       ///< one run
};

/// Start of every record: this, the digits of the point, the length.
inline constexpr std::string_view point_title = "rarefact point 7 ";
inline constexpr std::size_t point_line_bytes = point_title.size() + 64 + 18;

std::vector<std::byte> encode_point(const PointId& id, Result result);

enum class PointPart { head, all };

/// Decodes a record, or only its head (series are then empty). Throws DamagedResult "place: why" if the bytes
/// are not the whole record of this point with an intact seal, which is verified unless it was before.
PointRecord decode_point(std::span<const std::byte> bytes, const PointId& id, const std::string& place,
                         PointPart part, bool verify = true);

}  // namespace rarefact
