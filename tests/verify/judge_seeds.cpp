#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "verify/judge.hpp"

using namespace rarefact;

namespace {

/// The mean of slopes, one a seed.
Finding of_slopes(const std::vector<double>& slopes) {
  return judge::seed_mean("a", slopes);
}

}  // namespace

TEST_CASE("the interval of a mean over seeds is Student's with one degree of freedom less than seeds") {
  // t = 3.18245 for 3 degrees of freedom, s = 1.29099.
  const Finding mean = judge::seed_mean("a", {1, 2, 3, 4});
  CHECK(mean.measured == Approx(2.5));
  CHECK(*mean.low == Approx(2.5 - 2.05426).epsilon(1e-5));
  CHECK(*mean.high == Approx(2.5 + 2.05426).epsilon(1e-5));
  CHECK(std::isinf(*judge::seed_mean("a", {1}).high));
  CHECK_THROWS_AS(judge::seed_mean("a", {}), std::invalid_argument);
}

TEST_CASE("a mean over seeds is sharp where its interval has the number, and holds where it is near it") {
  const auto judged = [](double sharp, double widest) {
    return judge::seed_mean_equals("a", {1.0, 1.01, 1.02, 1.03}, sharp, 0.1, widest)
        .verdict;  // 1.015 ± 0.0205
  };
  CHECK(judged(1.03, 0.1) == Verdict::sharp);
  CHECK(judged(1.06, 0.1) == Verdict::holds);
  CHECK(judged(1.2, 0.1) == Verdict::fails);
  CHECK(judged(1.03, 0.04) == Verdict::inconclusive);
  // A constant of the tables that an interval is without leaves a check that holds, however sharp the others are.
  CheckReport report{.id = "paquette2026/signsgd"};
  const std::vector<double> seeds = {1.0, 1.01, 1.02, 1.03};
  const auto add = [&](const char* id, bool headline) {
    report.add(id, "", judge::seed_mean_equals(id, seeds, 1.06, 0.1, 0.1), headline);
  };
  report.add("a", "", {.sharp = 1, .verdict = Verdict::sharp}, true);
  CHECK(report.verdict() == Verdict::sharp);
  add("b", false);
  CHECK(report.verdict() == Verdict::sharp);
  add("c", true);
  CHECK(report.verdict() == Verdict::holds);
}

TEST_CASE("intervals of exponents lie above or below a bound, and apart from each other, or fail") {
  const Finding low = of_slopes({0.4, 0.5, 0.6}), high = of_slopes({1.4, 1.5, 1.6});
  CHECK(judge::interval_above("a", high, 1).verdict == Verdict::holds);
  CHECK(judge::interval_above("a", high, 1.4).verdict == Verdict::fails);
  CHECK(judge::interval_above("a", low, 1).verdict == Verdict::fails);
  CHECK(judge::interval_below("a", low, 1).verdict == Verdict::holds);
  CHECK(judge::interval_below("a", low, 0.6).verdict == Verdict::fails);
  CHECK(judge::interval_below("a", high, 1).verdict == Verdict::fails);
  CHECK(judge::intervals_apart("a", high, low).verdict == Verdict::holds);
  CHECK(judge::intervals_apart("a", low, high).verdict == Verdict::fails);
  CHECK(judge::intervals_apart("a", high, of_slopes({1.3, 1.4, 1.5})).verdict == Verdict::fails);
}

TEST_CASE("a check with evidence in it is evidence only: neither a pass nor a failure") {
  CheckReport report{.id = "kim2026/one-step-muon"};
  const Finding evidence = of_slopes({1.4, 1.5, 1.6});
  report.findings = {judge::interval_above("b", evidence, 1)};
  CHECK(report.verdict() == Verdict::holds);
  report.findings.push_back({.quantity = "c", .verdict = Verdict::sharp});
  report.findings.push_back(evidence);
  CHECK(report.verdict() == Verdict::evidence);
  report.findings.push_back({.quantity = "e", .verdict = Verdict::against});
  CHECK(report.verdict() == Verdict::against);
  report.hypotheses = {{"h", false, ""}};
  CHECK(report.verdict() == Verdict::inconclusive);
  report.findings.push_back(judge::interval_below("d", evidence, 1));
  CHECK(report.verdict() == Verdict::fails);
}
