// Published statements are about constant step sizes, those that were run, and the exact gradient.

#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

TEST_CASE("a schedule of step sizes leaves a statement open, and says why") {
  const CheckRow& row = check_row("li2026/muon-noiseless");
  const CheckOptions usual{.quick = true};
  CHECK(run_check(row, usual).verdict() == Verdict::sharp);
  CheckOptions decaying = usual;
  decaying.overrides = {"optimizer.muon.schedule=linear"};
  const CheckReport report = run_check(row, decaying);
  CHECK(report.verdict() == Verdict::inconclusive);
  bool said = false;
  for (const Hypothesis& one : report.hypotheses)
    said = said || (one.text == "constant step sizes" && !one.met && one.detail == "linear");
  CHECK(said);
}

TEST_CASE("a gradient that recovered facts drop out of leaves a statement on the exact one open") {
  const CheckRow& row = check_row("li2026/gd-noiseless");
  const CheckReport report = run_check(row, {.quick = true, .overrides = {"data.recovered=removed"}});
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(report.hypotheses.back().text == "the exact gradient");
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
