#include "verify/judge.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace rarefact;

namespace {

/// f(x) over x.
template <class Function>
Points over_x(const Function& f) {
  Points points;
  for (const double x : {1e1, 1e3, 1e5, 1e7, 1e9}) points[x] = f(x);
  return points;
}

/// c x^exponent
Points power(double exponent, double c = 1) {
  return over_x([=](double x) { return c * std::pow(x, exponent); });
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("bounds from above and below") {
  CHECK(judge::at_most("a", 1, 2).verdict == Verdict::holds);
  CHECK(judge::at_most("a", 3, 2).verdict == Verdict::fails);
  CHECK(judge::at_most("a", not_a_number, 2).verdict == Verdict::fails);
  CHECK(judge::at_least("a", 3, 2).verdict == Verdict::holds);
  CHECK(judge::at_least("a", 1, 2).verdict == Verdict::fails);
  CHECK(judge::at_least("a", not_a_number, 2).verdict == Verdict::fails);
}

TEST_CASE("a ratio is bounded unless it grows where x is large") {
  CHECK(judge::bounded("a", power(0, 3)).verdict == Verdict::holds);
  CHECK(judge::bounded("a", power(-1)).verdict == Verdict::holds);
  CHECK(judge::bounded("a", power(0.1)).verdict == Verdict::fails);
  CHECK(judge::bounded("a", over_x([](double x) { return 1 - 1 / x; })).verdict == Verdict::holds);
  CHECK(judge::bounded("a", over_x([](double x) { return std::log(x); })).verdict == Verdict::fails);
  CHECK(judge::bounded("a", power(0, 3), 0.01, 3.0).verdict == Verdict::sharp);
  CHECK(judge::bounded("a", power(0, 3), 0.01, 4.0).verdict == Verdict::fails);
}

TEST_CASE(
    "one failure decides a check, an unmet hypothesis leaves it open, and nothing measured is nothing held") {
  CheckReport report{.id = "x"};
  CHECK(report.verdict() == Verdict::inconclusive);
  report.findings = {judge::at_most("a", 1, 2)};
  CHECK(report.verdict() == Verdict::holds);
  report.findings.push_back({.quantity = "b", .verdict = Verdict::sharp});
  CHECK(report.verdict() == Verdict::sharp);
  report.hypotheses = {{"h", false, ""}};
  CHECK(report.verdict() == Verdict::inconclusive);
  report.findings.push_back(judge::at_most("c", 3, 2));
  CHECK(report.verdict() == Verdict::fails);
}

TEST_CASE("right digits are minus the decimal logarithm of the relative difference") {
  CHECK(right_digits(1 + 1e-10, 1) == Approx(10).margin(0.01));
  CHECK(right_digits(2, 2) == 17);
  CHECK(right_digits(1, 5) == Approx(0.097).margin(0.001));
  CHECK(right_digits(-1, 1) == 0);
  CHECK(right_digits(not_a_number, 1) == 0);
  CHECK(right_digits(1e-300, 0) == 0);
}
