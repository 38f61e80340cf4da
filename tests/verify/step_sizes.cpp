// Published statements are about constant step sizes, those that were run, the exact gradient, no momentum and
// rules of their own.

#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

std::vector<std::string> unmet(const CheckReport& report) {
  std::vector<std::string> texts;
  for (const Hypothesis& one : report.hypotheses) {
    if (!one.met) texts.push_back(one.text);
  }
  return texts;
}

}  // namespace

TEST_CASE("a schedule of step sizes leaves a statement open, and says why") {
  const CheckRow& row = check_row("li2026/muon-noiseless");
  const CheckOptions usual{.quick = true};
  CHECK(run_check(row, usual).verdict() == Verdict::sharp);
  CheckOptions decaying = usual;
  decaying.overrides = {"optimizer.muon.schedule=linear"};
  const CheckReport report = run_check(row, decaying);
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(unmet(report) == std::vector<std::string>{"constant step sizes"});
}

TEST_CASE("a gradient that recovered facts drop out of leaves a statement on the exact one open") {
  const CheckRow& row = check_row("li2026/gd-noiseless");
  const CheckReport report = run_check(row, {.quick = true, .overrides = {"data.recovered=removed"}});
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(unmet(report) == std::vector<std::string>{"the exact gradient"});
}

TEST_CASE("momentum leaves a statement open, and so does another rule, unless what it does fails") {
  const CheckRow& row = check_row("li2026/muon-noiseless");
  const auto under = [&](const char* text) {
    return run_check(row, {.quick = true, .overrides = {std::string("optimizer.muon.") + text}});
  };
  CHECK(unmet(under("momentum=0")).empty());
  CHECK(under("momentum=0.1").verdict() == Verdict::inconclusive);
  CHECK(unmet(under("momentum=0.1")) == std::vector<std::string>{"no momentum"});
  // Its first step is that of gradient descent.
  const CheckReport alike =
      run_check(check_row("wang2025/one-step-gd"), {.quick = true, .overrides = {"optimizer.gd.rule=ngd"}});
  CHECK(alike.verdict() == Verdict::inconclusive);
  CHECK(unmet(alike) == std::vector<std::string>{"the rules of the statement"});
  CHECK(alike.hypotheses.back().detail == "ngd");
  const CheckReport other = under("rule=gd");
  CHECK(other.verdict() == Verdict::fails);
  CHECK(unmet(other) == std::vector<std::string>{"the rules of the statement"});
}

TEST_CASE("evidence of a search is of the step size that was chosen") {
  const Evidence evidence =
      quick_evidence("li2026/block-symmetry", {"optimizer.muon.step_size={search = [0.1, 0.4, 3]}"});
  for (const EvidencePoint& point : evidence[0]) {
    const double chosen = point.trajectory("muon").step_size;
    CHECK((chosen == 0.1 || chosen == 0.2 || chosen == 0.4));
    CHECK(point.optimizer("muon").step_size == chosen);
  }
}
