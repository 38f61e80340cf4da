#pragma once

/// SHA-256 (FIPS 180-4), through OpenSSL: names the points of a sweep and guards result files.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // of OpenSSL, which stays out of the headers

namespace rarefact {

/// The digest of bytes that arrive in pieces. std::runtime_error if OpenSSL offers no SHA-256.
class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  /// 64 lower-case hexadecimal digits. Ends the digest: call once.
  std::string hex();

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
