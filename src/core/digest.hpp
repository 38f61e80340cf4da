#pragma once

/// SHA-256 (FIPS 180-4), by OpenSSL. It names the points of a sweep and detects damaged result files.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's, whose headers are included by digest.cpp only

namespace rarefact {

/// The digest of bytes that arrive in pieces. Throws std::runtime_error if OpenSSL has no SHA-256.
class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  /// The digest of the bytes so far as 64 lower-case hexadecimal digits.
  std::string hex() const;

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// The digest of bytes, or of a text's bytes, as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(std::string_view text);

}  // namespace rarefact
