#include "core/pattern.hpp"

#include <catch2/catch.hpp>

namespace rarefact {

TEST_CASE("every match of a pattern is replaced, with its groups") {
  CHECK(replace_pattern("a1 b22", "([a-z])([0-9]+)", "$2$1") == "1a 22b");
  CHECK(replace_pattern("a|b|", R"(\|)", "$$") == "a$b$");
  CHECK(replace_pattern("none", "[0-9]", "x") == "none");
}

TEST_CASE("a pattern matches the whole text or nothing of it") {
  CHECK(match_groups("3h50m", "(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?") ==
        std::vector<std::string>{"3h50m", "3", "50", ""});
  CHECK(match_groups("3h50m!", "([0-9]+)h([0-9]+)m").empty());
}

}  // namespace rarefact
