#include "core/text.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace rarefact;

TEST_CASE("Lengths are counted in characters, not bytes") {
  CHECK(utf8_length("") == 0);
  CHECK(utf8_length("η → 10⁻³") == 8);
}

TEST_CASE("A number is all of its text or none") {
  CHECK(parse_number<int>("17") == 17);
  CHECK(parse_number<double>("1e-3") == 1e-3);
  CHECK(parse_number<std::int64_t>("-5") == -5);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "1.5", "99999999999"}) {
    INFO(text);
    CHECK(!parse_number<int>(text));
  }
}

TEST_CASE("The nearest name is offered where a slip is likely") {
  const std::vector<std::string> names = {"symmetric", "columns", "dense"};
  CHECK(did_you_mean(nearest_name("colunms", names)).text == "; did you mean \"columns\"?");
  CHECK(did_you_mean(nearest_name("dens", names), "").text == "; did you mean dense?");
  CHECK(did_you_mean(nearest_name("xyzzy", names)).text.empty());
  CHECK(nearest_name("symm", names) == "symmetric");
  CHECK(nearest_name("muno", {"gd", "muon"}) == "muon");
  CHECK(nearest_name("g", {"G", "W"}) == "G");
  for (const char* far : {"gpu", "tail", "head", "x"})
    CHECK(nearest_name(far, {"gd", "tanh", "seed", "W"}).empty());
  const Problem problem = problem_of("no {}{}: {}", "dens", did_you_mean("dense"), 3);
  CHECK(problem.message == "no dens; did you mean \"dense\"?: 3");
  CHECK(problem.hint == "dense");
}

TEST_CASE("The columns of a table are aligned by characters") {
  CHECK(aligned_table({{"rule", "η"}, {"muon", "0.5"}, {"gd", ""}}) == "rule    η\nmuon  0.5\ngd\n");
  CHECK(aligned_table({{"a", "b", "c"}, {"long", "x", "10"}}, 2) == "a     b   c\nlong  x  10\n");
}

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
