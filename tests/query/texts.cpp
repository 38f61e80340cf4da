#include <algorithm>
#include <catch2/catch.hpp>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include "query/array.hpp"

using namespace rarefact::query;

TEST_CASE("a text has one number, whichever threads ask first") {
  constexpr int count = 3000;
  std::vector<std::vector<double>> seen(4, std::vector<double>(count));
  const auto text = [](int i) { return "a label of some length, number " + std::to_string(i); };
  {
    std::vector<std::jthread> threads;
    for (auto& numbers : seen)
      threads.emplace_back([&] {
        for (int i = 0; i < count; ++i) numbers[i] = number_of(text(i));
      });
  }
  for (const auto& numbers : seen) CHECK(numbers == seen[0]);
  CHECK(
      std::ranges::all_of(std::views::iota(0, count), [&](int i) { return text_of(seen[0][i]) == text(i); }));
}
