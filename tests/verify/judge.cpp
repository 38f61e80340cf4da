#include "verify/judge.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <tuple>

using namespace rarefact;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Verdict of_ratio(const std::function<double(double)>& f, std::optional<double> sharp = {}) {
  Points points;
  for (const double x : {1e1, 1e3, 1e5, 1e7, 1e9}) points[x] = f(x);
  return judge::bounded(points, 0.01, sharp).verdict;
}

}  // namespace

TEST_CASE("a ratio is bounded unless it grows where x is large") {
  const auto three = [](double) { return 3.0; };
  CHECK(of_ratio(three) == Verdict::holds);
  CHECK(of_ratio([](double x) { return 1 / x; }) == Verdict::holds);
  CHECK(of_ratio([](double x) { return std::pow(x, 0.1); }) == Verdict::fails);
  CHECK(of_ratio([](double x) { return 1 - 1 / x; }) == Verdict::holds);
  CHECK(of_ratio([](double x) { return std::log(x); }) == Verdict::fails);
  CHECK(of_ratio([](double x) { return x > 1e6 ? -1.0 : 1.0; }) == Verdict::fails);
  CHECK(of_ratio(three, 3.0) == Verdict::sharp);
  CHECK(of_ratio(three, 4.0) == Verdict::fails);
}

TEST_CASE("the interval of a mean over seeds is Student's with one degree of freedom less than seeds") {
  // t = 3.18245 for 3 degrees of freedom, s = 1.29099.
  const Finding mean = judge::seed_mean({1, 2, 3, 4});
  CHECK(mean.measured == Approx(2.5));
  CHECK(*mean.low == Approx(2.5 - 2.05426).epsilon(1e-5));
  CHECK(*mean.high == Approx(2.5 + 2.05426).epsilon(1e-5));
  CHECK(std::isinf(*judge::seed_mean({1}).high));
  CHECK_THROWS_AS(judge::seed_mean({}), std::invalid_argument);
}

TEST_CASE("a mean over seeds is sharp where its interval has the number, and holds where it is near it") {
  const auto judged = [](double sharp, double widest) {
    return judge::seed_mean_equals({1.0, 1.01, 1.02, 1.03}, sharp, 0.1, widest);  // 1.015 ± 0.0205
  };
  CHECK(judged(1.03, 0.1).verdict == Verdict::sharp);
  CHECK(judged(1.06, 0.1).verdict == Verdict::holds);
  CHECK(judged(1.2, 0.1).verdict == Verdict::fails);
  CHECK(judged(1.03, 0.04).verdict == Verdict::inconclusive);
  // A constant of the tables that an interval is without leaves a check that holds, however sharp the others are.
  CheckReport report{.id = "paquette2026/signsgd"};
  report.add("a", "", {.sharp = 1, .verdict = Verdict::sharp}, true);
  CHECK(report.verdict() == Verdict::sharp);
  report.add("b", "", judged(1.06, 0.1), false);
  CHECK(report.verdict() == Verdict::sharp);
  report.add("c", "", judged(1.06, 0.1), true);
  CHECK(report.verdict() == Verdict::holds);
}

TEST_CASE("intervals lie above or below a bound or another interval, or fail") {
  const Finding low = judge::seed_mean({0.4, 0.5, 0.6}), high = judge::seed_mean({1.4, 1.5, 1.6}),
                near = judge::seed_mean({1.3, 1.4, 1.5});
  for (const auto& [measured, bound, above, holds] :
       std::vector<std::tuple<Finding, Finding, bool, bool>>{{high, judge::exactly(1), true, true},
                                                             {high, judge::exactly(1.4), true, false},
                                                             {low, judge::exactly(1), true, false},
                                                             {low, judge::exactly(1), false, true},
                                                             {low, judge::exactly(0.6), false, false},
                                                             {high, low, true, true},
                                                             {low, high, true, false},
                                                             {low, high, false, true},
                                                             {high, near, true, false}}) {
    CAPTURE(measured.measured, bound.measured, above);
    CHECK(judge::apart(measured, bound, above).verdict == (holds ? Verdict::holds : Verdict::fails));
  }
}

TEST_CASE(
    "one failure decides a check, an unmet hypothesis leaves it open, and nothing measured is nothing held") {
  CheckReport report{.id = "x"};
  CHECK(report.verdict() == Verdict::inconclusive);
  const auto with = [&](Verdict verdict) {
    report.findings.push_back({.verdict = verdict});
    return report.verdict();
  };
  CHECK(with(Verdict::holds) == Verdict::holds);
  CHECK(with(Verdict::sharp) == Verdict::sharp);
  CHECK(with(Verdict::evidence) == Verdict::evidence);
  CHECK(with(Verdict::against) == Verdict::against);
  report.hypotheses = {{"h", false, ""}};
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(with(Verdict::fails) == Verdict::fails);
}

TEST_CASE("right digits are minus the decimal logarithm of the relative difference") {
  CHECK(right_digits(1 + 1e-10, 1) == Approx(10).margin(0.01));
  CHECK(right_digits(2, 2) == 17);
  CHECK(right_digits(1, 5) == Approx(0.097).margin(0.001));
  CHECK(right_digits(-1, 1) == 0);
  CHECK(right_digits(not_a_number, 1) == 0);
  CHECK(right_digits(1e-300, 0) == 0);
}
