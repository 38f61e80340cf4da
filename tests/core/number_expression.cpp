#include "core/number_expression.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rarefact;

namespace {

const std::vector<std::string> names = {"x", "y"};

struct Line {
  const char* text;
  double (*value)(double x, double y);
};

const std::vector<Line> lines = {
    {"2", [](double, double) { return 2.0; }},
    {"x + 2*y - x/y", [](double x, double y) { return x + 2 * y - x / y; }},
    {"-x**2", [](double x, double) { return -(x * x); }},
    {"(x - y)**3", [](double x, double y) { return std::pow(x - y, 3); }},
    {"y**0.5", [](double, double y) { return std::pow(y, 0.5); }},
    {"where(x < y, cos(pi*x), sin(y/pi))",
     [](double x, double y) { return x < y ? std::cos(std::acos(-1) * x) : std::sin(y / std::acos(-1)); }},
    {"where(x < 1 or not y > 2, 1, 0)", [](double x, double y) { return x < 1 || y <= 2 ? 1.0 : 0.0; }},
    {"where(x >= 1 and y != 2, 1, 0)", [](double x, double y) { return x >= 1 && y != 2 ? 1.0 : 0.0; }},
    {"min(x, y, 0.75) + max(x) + minimum(x, 1) - maximum(x, y)",
     [](double x, double y) {
       return std::min({x, y, 0.75}) + x + std::min(x, 1.0) - std::max(x, y);
     }},
    {"sqrt(y) + log(y) + exp(x) + abs(x - y) + floor(x) + ceil(y) + round(x) + log1p(y) + expm1(x)",
     [](double x, double y) {
       return std::sqrt(y) + std::log(y) + std::exp(x) + std::abs(x - y) + std::floor(x) + std::ceil(y) +
              std::round(x) + std::log1p(y) + std::expm1(x);
     }},
    // More values wait than usual.
    {"x+(x+(x+(x+(x+(x+(x+(x+(x+(x+y)))))))))", [](double x, double y) { return 10 * x + y; }},
};

std::string refusal(const char* text) {
  try {
    NumberExpression(text, names);
  } catch (const InputError& error) {
    return error.problems().front().message;
  }
  return "";
}

}  // namespace

TEST_CASE("an expression has the same value in double and in 50 digits") {
  for (const Line& line : lines) {
    const NumberExpression expression(line.text, names);
    for (const double x : {-1.25, 0.3, 1.0, 2.5}) {
      for (const double y : {0.25, 2.0, 3.5}) {
        CAPTURE(line.text, x, y);
        const double in_double[] = {x, y};
        const Real50 precise[] = {x, y};
        const Approx value = Approx(line.value(x, y)).epsilon(1e-14).margin(1e-15);
        CHECK(expression(in_double) == value);
        CHECK(static_cast<double>(expression(precise)) == value);
      }
    }
  }
}

TEST_CASE("in 50 digits the cosine of a quarter turn is 0, and its square with the sine's is 1") {
  const Real50 values[] = {Real50(0.3), Real50(0)};
  const auto off = [&](const char* text) {
    return static_cast<double>(abs(NumberExpression(text, names)(values)));
  };
  CHECK(off("cos(pi/2)") < 1e-48);
  CHECK(off("cos(x)**2 + sin(x)**2 - 1") < 1e-48);
}

TEST_CASE("what is not finite is not a number of conditions, and does not come back") {
  const double values[] = {0, 1};
  CHECK(std::isinf(NumberExpression("1/x", names)(values)));
  for (const char* text : {"1/(1/x)", "exp(-1/x)", "where(1/x, 1, 2)", "sqrt(0 - y)", "min(log(0 - y), 1)",
                           "min(1, log(0 - y))", "where(1/x < 2/x, 1, 2)"}) {
    CAPTURE(text);
    CHECK(std::isnan(NumberExpression(text, names)(values)));
  }
}

TEST_CASE("an expression says what it cannot read") {
  using Catch::Contains;
  CHECK_THAT(refusal("z"), Contains("unknown name \"z\"; there are x, y, pi"));
  CHECK_THAT(refusal("cos"), Contains("expected \"(\" after cos"));
  CHECK_THAT(refusal("log10(x)"), Contains("no function is called \"log10\"; write log(x)/log(10)"));
  CHECK_THAT(refusal("cso(x)"), Contains("no function is called \"cso\"; did you mean \"cos\"?"));
  CHECK_THAT(refusal("where(x, y)"), Contains("where takes a condition and two numbers, and got 2"));
  CHECK_THAT(refusal("minimum(x)"), Contains("minimum takes two numbers, and got 1"));
  CHECK_THAT(refusal("x > 3"),
             Contains("got the condition \"x > 3\"; expected a number, such as where(x > 3, 1, 0)"));
  for (const char* text : {"2*(x > 3)", "not x", "x and y", "where(x > 1, y, x > 3)", "sqrt(x > 1)",
                           "-(x > 1)", "max(x > 1, y)"})
    CHECK_THAT(refusal(text), Contains("got the condition"));
  CHECK_THAT(refusal("1 -\n x"), Contains("got \"\\n x\" after \"1 -\"; expected a number"));
  CHECK_THAT(refusal("'x\n'"), !Contains("\n"));
  CHECK_THAT(refusal("'x'"), Contains("is not for numbers"));
  CHECK_THAT(refusal("x@muon"), Contains("is not for numbers"));
  CHECK(NumberExpression("where(pi > 3, 1, x)", names).reads("x"));
  CHECK_FALSE(NumberExpression("2*y", names).reads("x"));
}
