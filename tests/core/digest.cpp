#include "core/digest.hpp"

#include <catch2/catch.hpp>

using namespace rarefact;

TEST_CASE("SHA-256 gives the known answers of FIPS 180-4") {
  REQUIRE(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  REQUIRE(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a digest of pieces is the digest of the whole") {
  Sha256 digest;
  const std::string text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  for (const char& c : text) digest.update(std::as_bytes(std::span(&c, 1)));
  REQUIRE(digest.hex() == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
