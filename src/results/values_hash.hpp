#pragma once

/// The root attribute `values_sha256`: a hash of a result's values, independent of program and encoding.
///
/// It is the SHA-256 of one line "NAME DIGEST" for each dataset, by name, DIGEST the SHA-256 of its entries, the last
/// dimension fastest: numbers as 8 bytes, little-endian; texts in UTF-8, a zero byte after each.

#include <map>
#include <type_traits>
#include <vector>

#include "core/digest.hpp"

namespace rarefact {

inline constexpr const char* values_hash_attribute = "values_sha256";

/// The next entries of a dataset.
template <class T>
void add_values(Sha256& digest, std::span<const T> values) {
  if constexpr (std::is_same_v<T, std::string>) {
    for (const std::string& text : values)
      digest.update(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  } else {
    static_assert(sizeof(T) == 8);
    digest.update(std::as_bytes(values));
  }
}

template <class T>
std::string digest_of(const std::vector<T>& values) {
  Sha256 digest;
  add_values(digest, std::span<const T>(values));
  return digest.hex();
}

/// The attribute, from the digest of every dataset by its name.
inline std::string values_hash(const std::map<std::string, std::string>& digests) {
  std::string lines;
  for (const auto& [name, digest] : digests) lines += name + " " + digest + "\n";
  return sha256_hex(lines);
}

}  // namespace rarefact
