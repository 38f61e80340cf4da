#include <catch2/catch.hpp>
#include <cmath>

#include "verify/check_row.hpp"

using namespace rarefact;

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

TEST_CASE("a known number of the tables that an interval is without leaves a check that holds") {
  CheckReport report{.findings = {{.sharp = 1, .verdict = Verdict::sharp, .headline = true},
                                  {.sharp = 1, .verdict = Verdict::holds}}};
  CHECK(report.verdict() == Verdict::sharp);
  report.findings[1].headline = true;
  CHECK(report.verdict() == Verdict::holds);
}

TEST_CASE("right digits are minus the decimal logarithm of the relative difference") {
  CHECK(right_digits(1 + 1e-10, 1) == Approx(10).margin(0.01));
  CHECK(right_digits(2, 2) == 17);
  CHECK(right_digits(1, 5) == Approx(0.097).margin(0.001));
  CHECK(right_digits(-1, 1) == 0);
  CHECK(right_digits(NAN, 1) == 0);
  CHECK(right_digits(1e-300, 0) == 0);
}
