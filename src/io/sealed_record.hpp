#pragma once

/// The form of the program's own files. A record is a line "TITLE LENGTH", as many bytes of an archive, and the seal:
/// a line with the SHA-256 of all before it. A checkpoint is a file of one record; points are records one after
/// another. HDF5 files end with a seal, too.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.hpp"

namespace rarefact {

/// The line "sha256 DIGEST".
std::string seal_line(std::string_view digest);

inline constexpr std::size_t seal_bytes = 7 + 64 + 1;  ///< word and blank, digits, line break

/// True if a text has the form of a seal, whatever its digits.
bool is_seal(std::string_view text);

/// Adds the seal to bytes.
std::vector<std::byte> with_seal(std::vector<std::byte> bytes);

inline constexpr std::size_t length_bytes = 1 + 16 + 1;  ///< blank, hexadecimal digits, line break

/// The record of these bytes after room for their line. Precondition: the title has no line breaks.
std::vector<std::byte> sealed_bytes(std::string_view title, std::vector<std::byte> line_and_content);

/// The record of the parts in their order.
template <class... Parts>
std::vector<std::byte> sealed(std::string_view title, Parts&... parts) {
  Archive archive;
  for (std::size_t i = 0; i < title.size() + length_bytes; ++i) {
    char room = '\0';
    archive(room);
  }
  (archive(parts), ...);
  return sealed_bytes(title, archive.take());
}

/// How long a record is, from its first line; nothing where that does not say.
std::optional<std::uint64_t> record_bytes(std::string_view line);

/// True if bytes end with the seal of all before it.
bool is_whole(std::span<const std::byte> bytes);

/// The bytes of the archive of one record, once the seal was seen to agree. std::runtime_error with what is wrong: it
/// is cut short or not what was sealed, or, in the words of `other_title`, it has another title.
std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::string_view title,
                                    const char* other_title);

}  // namespace rarefact
