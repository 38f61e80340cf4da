#pragma once

/// The program's own files. A record is a line "TITLE LENGTH", the bytes of an archive, and the seal: a line with the
/// SHA-256 of everything before it. A checkpoint is one record, points are many. HDF5 files end with a seal, too.

#include <string_view>

#include "core/archive.hpp"

namespace rarefact {

/// The line "sha256 DIGEST".
std::string seal_line(std::string_view digest);

inline constexpr std::size_t seal_bytes = 7 + 64 + 1;  ///< word and blank, digits, line break

/// True if a text has the form of a seal, whatever its digits.
bool is_seal(std::string_view text);

std::vector<std::byte> with_seal(std::vector<std::byte> bytes);

inline constexpr std::size_t length_bytes = 1 + 16 + 1;  ///< blank, hexadecimal digits, line break

/// The record of bytes that begin with room for the line. Precondition: the title has no line breaks.
std::vector<std::byte> sealed_bytes(std::string_view title, std::vector<std::byte> line_and_content);

/// The record of the parts, in order.
template <class... Parts>
std::vector<std::byte> sealed(std::string_view title, Parts&... parts) {
  Archive archive;
  archive.reserve(title.size() + length_bytes + Archive::size_of(parts...) + seal_bytes);
  for (std::size_t i = 0; i < title.size() + length_bytes; ++i) {
    char room = '\0';
    archive(room);
  }
  (archive(parts), ...);
  return sealed_bytes(title, archive.take());
}

/// The length of a record, from its first line; nullopt if that is not one.
std::optional<std::uint64_t> record_bytes(std::string_view line);

/// True if bytes end with the seal of all before it.
bool is_whole(std::span<const std::byte> bytes);

/// The archive of one record, after verifying its seal (only with `verify`). Throws std::runtime_error: the record is
/// cut short or not what was sealed, or, with the message `other_title`, has another title.
std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::string_view title,
                                    const char* other_title, bool verify = true);

}  // namespace rarefact
