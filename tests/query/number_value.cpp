#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <ranges>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "query/array.hpp"
#include "query/evaluate.hpp"
#include "rarefact/error.hpp"
#include "reference/cells.hpp"

using namespace rarefact;
using namespace rarefact::query;

namespace {

const NamedNumbers names = {{"K", 1000}, {"p_max", 0.25}, {"p_min", 1e-6}};

std::string problem_of(const std::string& text) {
  try {
    number_value(text, names);
  } catch (const InputError& error) {
    return error.problems().front().message;
  }
  return "none";
}

}  // namespace

TEST_CASE("an expression has the value that Python gives it") {
  // Each was typed into Python 3.11 with K = 1000, p_max = 0.25, p_min = 1e-6.
  for (const std::string& line : cells_of(R"(
         2/p_max = 8 |  2 / p_max  = 8 | 1e-3 = 1e-3 | .5 = 0.5 | -2**2 = -4 | 2**-1 = 0.5 | 2**3**2 = 512
         -2**-2 = -0.25 | 8/4/2 = 1 | 8-4-2 = 2 | 2+3*4 = 14 | (2+3)*4 = 20 | 2*-3 = -6 | --3 = 3 | +3 = 3
         min(3, 1, 2) = 1 | max(p_max, p_min) = 0.25 | sqrt(16)**0.5 = 2 | abs(-3) = 3 | 6/2*3 = 9
         2E3 = 2000 | where(K > 100 and not p_min > 1, 2, 3) = 2 | ceil(log(K)) = 7 | max(K) = 1000)")) {
    CAPTURE(line);
    const std::size_t equals = line.rfind(" = ");
    CHECK(number_value(line.substr(0, equals), names) == std::stod(line.substr(equals + 3)));
  }
  CHECK(number_value("sqrt(K)*1e-2", names) == std::sqrt(1000.0) * 1e-2);
  CHECK(number_value("log(K)", names) == std::log(1000.0));
  CHECK(number_value("exp(-1)", names) == std::exp(-1.0));
  CHECK(number_value("error_of_margin(0, K)", names) == Approx(0.999));
  CHECK(number_value("1/0", names) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(number_value("log(-1)", names)));
  // Not in Python: numbers that are equal up to rounding are neither smaller nor larger.
  for (const std::string different : {"3*0.1 > 0.3", "0.3 < 3*0.1", "3*0.1 != 0.3"}) {
    CAPTURE(different);
    CHECK(number_value("where(" + different + ", 1, 0)", names) == 0);
  }
}

TEST_CASE("what is no expression is refused with what stands where, and an unknown name with the nearest") {
  CHECK(
      problem_of("2/pmax") ==
      "unknown name \"pmax\"; there are K, p_max, p_min, sqrt(), log(), exp(), abs(), min(), max(); did you mean "
      "\"p_max\"?");
  CHECK(problem_of("sqr(2)").find("did you mean \"sqrt\"?") != std::string::npos);
  CHECK(problem_of("2/") == "got the end after \"2/\"; expected a number, a name or \"(\"");
  CHECK(problem_of("") == "got the end; expected a number, a name or \"(\"");
  CHECK(problem_of("2 3") == "got \"3\" after \"2 \"; expected an operator or the end");
  CHECK(problem_of("2^3") ==
        "got \"^3\" after \"2\"; expected an operator or the end; a power is written **");
  CHECK(problem_of("(2") == "got the end after \"(2\"; expected \")\"");
  CHECK(problem_of("sqrt 2") == "got \"2\" after \"sqrt \"; expected an operator or the end");
  CHECK(problem_of("sqrt(1, 2)") == "sqrt takes one number, and got 2");
  CHECK(problem_of("2\n").find("expected an operator or the end") != std::string::npos);
  CHECK(problem_of("sqrt*2") == "expected \"(\" after sqrt");
  CHECK(problem_of("first_where(K > 1)").starts_with("unknown name \"step\""));
  CHECK(problem_of("where(K == \"a\", 1, 2)").find("compares a string") != std::string::npos);
  CHECK(problem_of("K > 3") == "got the condition \"K > 3\"; expected a number, such as where(K > 3, 1, 0)");
  CHECK(problem_of("rho_muon(0.1)") == "there are no classes here");
  CHECK(problem_of("K.T") == "\"K.T\" is not for numbers");
  CHECK(problem_of("K.real").find("expected an operator") != std::string::npos);
  CHECK(problem_of(std::string(200, '(') + "1" + std::string(200, ')')).find("at most 100") !=
        std::string::npos);
  CHECK(problem_of(std::string(100000, '-') + "1").find("at most 100") != std::string::npos);
}

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
