#include <catch2/catch.hpp>
#include <vector>

#include "core/text.hpp"

using namespace rarefact;

TEST_CASE("what steers a terminal or a reader's eye is spelled, letters of any script stay") {
  const std::string plain = "gd η=1, имя, 実験, é\tand a line\n";
  CHECK(sanitize_text(plain) == plain);
  CHECK(sanitize_text("a\x1b[31mb\rc\x7f") == "a\\u001b[31mb\\u000dc\\u007f");
  CHECK(sanitize_text("\xc2\x9b|\xc2\xa0|\u202a|\u202e|\u202f") == "\\u009b|\xc2\xa0|\\u202a|\\u202e|\u202f");
  // U+2028, U+2066 and U+2070
  for (const std::string& end : std::vector<std::string>{"28", "66"}) {
    const std::string hidden = end == "28" ? "\xe2\x80\xa8" : "\xe2\x81\xa6";
    CHECK(sanitize_text(hidden + "\xe2\x81\xb0") == "\\u20" + end + "\xe2\x81\xb0");
  }
  CHECK(sanitize_text("\x9b\xff\xe2\x80") == "\\x9b\\xff\\xe2\\x80");
  CHECK(sanitize_text(std::string(1, '\0')) == "\\u0000");
}
