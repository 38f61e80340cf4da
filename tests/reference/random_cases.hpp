#pragma once

/// How many random cases a test draws, and from which seed. Every day these are few, from a fixed seed; with RAREFACT_ALL=1
/// they are all, from the seed in RAREFACT_SEED.

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace reference {

inline std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr || *text == '\0' ? otherwise : std::stoull(text);
}

/// The seed is printed where all cases are drawn, and beside every failure while this lives.
struct RandomCases {
  bool whole;
  int count;
  std::uint64_t seed;
  Catch::ScopedMessage shown;

  RandomCases(int everyday, int all)
      : whole(environment_number("RAREFACT_ALL", 0) != 0),
        count(whole ? all : everyday),
        seed(whole ? environment_number("RAREFACT_SEED", 1) : 1),
        shown(Catch::MessageBuilder("INFO", CATCH_INTERNAL_LINEINFO, Catch::ResultWas::Info)
              << count << " random cases, RAREFACT_SEED=" << seed) {
    if (whole) WARN(count << " random cases, RAREFACT_SEED=" << seed);
  }
  explicit RandomCases(int all) : RandomCases((all + 4) / 5, all) {}

  /// A seed of case i alone; with seed 1 it is i.
  std::uint64_t operator[](int i) const { return 1'000'000 * (seed - 1) + static_cast<std::uint64_t>(i); }
};

}  // namespace reference
