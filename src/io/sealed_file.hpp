#pragma once

/// The form of the program's own files, points and checkpoints: a line of text that says what the file is,
/// the bytes of an archive, and the seal: a line with the SHA-256 of all before it. HDF5 files end with a seal, too.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.hpp"

namespace rarefact {

/// The line "sha256 DIGEST".
std::string seal_line(std::string_view digest);

inline constexpr std::size_t seal_bytes = 7 + 64 + 1;  ///< word and blank, digits, line break

/// Whether a text has the form of a seal, whatever its digits.
bool is_seal(std::string_view text);

/// Adds the seal to bytes.
std::vector<std::byte> with_seal(std::vector<std::byte> bytes);

/// The parts in their order, under a title without line breaks.
template <class... Parts>
std::vector<std::byte> sealed(std::string_view title, Parts&... parts) {
  Archive archive;
  for (char c : title) archive(c);
  char end = '\n';
  archive(end, parts...);
  return with_seal(archive.take());
}

/// The bytes of the archive, once the seal was seen to agree. std::runtime_error with what is wrong: the file
/// is cut short or not what was sealed, or, in the words of `other_title`, it has another title.
std::span<const std::byte> unsealed(std::span<const std::byte> bytes, std::string_view title,
                                    const char* other_title);

}  // namespace rarefact
