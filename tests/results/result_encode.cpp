// Results that are written run by run.

#include <catch2/catch.hpp>

#include "io/scratch_folder.hpp"
#include "results/result_file.hpp"
#include "results/same_result.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;

namespace {

ResultHead head_of(const Result& result, std::size_t groups) {
  ResultHead head{result, {.runs = result.runs.size(), .classes = groups}, {{"classes.exponent", false}}};
  head.described.runs.clear();
  return head;
}

/// The bytes, after so many runs at a time were given.
std::string encoded(const Result& result, std::size_t groups, std::size_t at_once, int threads) {
  std::size_t begin = 0;
  const FileBytes all = encode_result(head_of(result, groups), threads, [&] {
    const auto first = result.runs.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::size_t count = std::min(at_once, result.runs.size() - begin);
    begin += count;
    return std::vector<Run>{first, first + static_cast<std::ptrdiff_t>(count)};
  });
  return {reinterpret_cast<const char*>(all.bytes().data()), all.bytes().size()};
}

/// Many runs of `groups` groups, each with other numbers.
Result many_runs(std::size_t runs, std::size_t groups, std::size_t steps) {
  Result result = wide_result(groups, steps);
  const Run one = result.runs[0];
  result.runs.clear();
  for (std::size_t r = 0; r < runs; ++r) {
    Run& run = result.runs.emplace_back(one);
    run.index = static_cast<std::int64_t>(r);
    run.parameters = {{"classes.exponent", static_cast<double>(r)}};
    for (Trajectory& trajectory : run.trajectories) {
      trajectory.status_step = static_cast<std::int64_t>(r);
      trajectory.status_detail = "run " + std::to_string(r);
      for (auto& [name, series] : trajectory.series)
        for (double& x : series) x /= static_cast<double>(r + 1);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("runs appended a few at a time, in any number of threads, read back as they were") {
  const ScratchFolder folder;
  struct Case {
    std::size_t runs, groups, steps;
    std::vector<std::size_t> at_once;
  };
  // One piece; several runs in a chunk, with a chunk cut short; one run in a chunk; a run of several chunks
  // of several steps, and with more groups than a chunk holds.
  const std::vector<Case> cases = {
      {5, 3, 2, {1, 3, 5}}, {11, 30, 60, {3, 11}}, {2, 20, 600, {1}}, {1, 1400, 30, {1}}, {1, 40000, 0, {1}}};
  for (const Case& c : cases) {
    INFO(c.runs << " runs, " << c.groups << " groups, " << c.steps << " steps");
    const Result result = many_runs(c.runs, c.groups, c.steps);
    for (const std::size_t at_once : c.at_once) {
      const std::string bytes = encoded(result, c.groups, at_once, 2);
      if (at_once == c.at_once.front()) CHECK(encoded(result, c.groups, at_once, 1) == bytes);
      spill(folder / "r.h5", bytes);
      require_same(read_result(folder / "r.h5"), result);
    }
  }
}

TEST_CASE("runs that contradict the head are a mistake of the program") {
  const Result result = sample_result();
  CHECK_THROWS_AS(encoded(result, 2, 2, 1), std::logic_error);  // a run has three groups
  const auto encode = [&](std::vector<std::vector<Run>> parts) {
    parts.emplace_back();
    auto part = parts.begin();
    return encode_result(head_of(result, 3), 1, [&] { return *part++; });
  };
  const std::vector<Run> first = {result.runs[0]}, second = {result.runs[1]};
  CHECK_NOTHROW(encode({first, second}));
  CHECK_THROWS_AS(encode({first}), std::logic_error);
  CHECK_THROWS_AS(encode({first, second, second}), std::logic_error);
  std::vector<Run> fewer = first;
  fewer[0].trajectories.pop_back();
  CHECK_THROWS_AS(encode({fewer, second}), std::logic_error);
}
