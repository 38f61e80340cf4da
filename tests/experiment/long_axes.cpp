// Long axes with something wrong: answered in the time it takes to read them, in a hundred lines at most.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <ctime>

#include "experiment/plan_samples.hpp"
#include "reference/sanitizer.hpp"

using namespace rarefact;

namespace {

/// Of processor time. Each case takes a quarter of a second at most; what is quadratic in the length takes 15 s, so the bound
/// need not be near: machines differ and are shared. A sanitizer sees in short axes what it sees in long ones.
constexpr double max_seconds = reference::under_sanitizer ? 60 : 5;
constexpr int many_values = reference::under_sanitizer ? 10000 : 50000, most_values = 3 * many_values;

/// count times the text, with commas between, {} the number.
std::string list(int count, const std::string& text) {
  std::string list;
  for (int i = 0; i < count; ++i) list += fmt::format(fmt::runtime(text), i) + ", ";
  return list;
}

}  // namespace

TEST_CASE("a long axis with something wrong is answered in the time it takes to read it") {
  const std::string many = list(many_values, "{}"), same = list(many_values, "1"),
                    keys = list(many_values / 3, "seed"), most = std::to_string(most_values);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"seed = [" + same + "]", "1 is on the axis twice"},
      {"seed = [" + many + " -1]", "got -1"},
      {"seed = [" + list(many_values, "{}") + " -1, " + list(many_values, "1{:06}") + "]", "got -1"},
      {"seed = [" + list(many_values, "\"x{}\"") + "]", "got the string"},
      {"classes.exponent = {linspace = [-1e5, -1, " + most + "]}", "got -100000"},
      {"classes.exponent = {linspace = [1, -1e-9, " + most + "]}", "got -1e-09"},
      {"classes.exponent = {linspace = [1, 1, " + most + "]}", "on the axis twice"},
      {"classes.exponent = {logspace = [1e-300, 1e300, " + most + "]}", "smallest normal number"},
      {"classes.spectrum = [" + list(many_values, "\"x{}\"") + "]", "got the string \"x0\""},
      {"\"" + keys + "seed\" = [[1]]", "has the key seed twice"},
      {"\"" + list(many_values / 3, "k{}") + "\" = [[1]]", "unknown key"},
      {"\"seed, run.steps\" = [" + list(many_values, "[1]") + "]", "got 1 value, expected 2"},
      {"\"" + std::string(10 * many_values, 'a') + "\" = [1]", "unknown key"},
      {"seed = " + std::string(many_values, '[') + std::string(many_values, ']'), "nested"}};
  for (const auto& [axis, what] : cases) {
    INFO(axis.substr(0, 70));
    const std::clock_t start = std::clock();
    std::string said;
    try {
      plan_of(axis + "\n");
    } catch (const InputError& error) {
      said = error.what();
      CHECK(error.problems().size() <= 101);
      for (const Problem& problem : error.problems()) CHECK(problem.message.size() < 2100);
    }
    CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < max_seconds);
    CHECK_THAT(said.substr(0, 10000), Catch::Contains(what));
  }
}

TEST_CASE("of a thousand problems a hundred are told, and that there may be more") {
  CHECK(problems_of(base + "[sweep]\nseed = [" + list(1000, "1") + "]\n").size() == 101);
  std::string text = base + "[sweep]\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("optimizer.x{}.step_size = [1]\n", i);
  const std::vector<Problem> problems = problems_of(text);
  REQUIRE(problems.size() == 101);
  CHECK_THAT(problems.back().message, Catch::Contains("there may be more"));
}
