#include "core/pattern.hpp"

#include <catch2/catch.hpp>

namespace rarefact {

TEST_CASE("every match of a pattern is replaced, with its groups") {
  CHECK(replace_pattern("a1 b22", "([a-z])([0-9]+)", "$2$1") == "1a 22b");
  CHECK(replace_pattern("a|b|", R"(\|)", "$$") == "a$b$");
  CHECK(replace_pattern("none", "[0-9]", "x") == "none");
}

}  // namespace rarefact
