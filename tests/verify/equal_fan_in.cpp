// Statements on an answer for every query: of a law with unequal fan-ins they are left open, and say why.

#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

TEST_CASE("several right answers are no query for every answer") {
  const std::vector<std::string> sets = {"answers.law=right_set", "answers.size=2"};
  for (const std::string id : {"li2026/muon-noiseless", "li2026/gd-noiseless", "wang2026/taylor"}) {
    CAPTURE(id);
    CHECK(judged(id, quick_evidence(id, sets)).verdict() == Verdict::inconclusive);
  }
}

TEST_CASE("statements on samples, spikes and phases are left open where queries share answers") {
  for (const std::string id : {"li2026b/spiked", "li2026b/low-snr", "li2026b/window-is-batch",
                               "li2026/gd-scaling-law", "paquette2026/phases"}) {
    CAPTURE(id);
    const CheckReport report = judged(id, quick_evidence(id, {"answers.law=fan_in", "answers.fan_in=3"}));
    CHECK(report.verdict() == Verdict::inconclusive);
    CHECK(report.findings.empty());
  }
}

TEST_CASE("a run that does not fit into memory is refused, as run does") {
  const CheckOptions options{
      .quick = true, .overrides = {"answers.law=fan_in", "answers.fan_in=3"}, .memory_limit = 1e9};
  CHECK_THROWS_WITH(run_check(check_row("wang2025/one-step-signgd-coupled"), options),
                    Catch::Contains("of memory (allowed: 1 GB)"));
}

TEST_CASE("where queries share answers the statements on Muon's balance are left open") {
  for (const std::string id : {"wang2025/one-step-muon", "wang2025/multi-step-muon", "li2026/muon-noiseless",
                               "li2026/muon-noisy", "li2026/gd-stability", "li2026/muon-scaling-law",
                               "li2026/block-symmetry", "li2026/preconditioner", "li2026/tra-signgd"}) {
    CAPTURE(id);
    const CheckReport report =
        judged(id, quick_evidence(id, {"answers.law=fan_in", "answers.fan_in={exponent = 1, largest = 3}"}));
    CHECK(report.verdict() == Verdict::inconclusive);
    CHECK(report.findings.empty());
    const auto found =
        std::ranges::find(report.hypotheses, "equal fan-in: one query for every answer", &Hypothesis::text);
    REQUIRE(found != report.hypotheses.end());
    CHECK_FALSE(found->met);
    CHECK(found->detail == "queries share answers, or have several");
    const CheckReport published = judged(id, quick_evidence(id));
    CHECK(std::ranges::find(published.hypotheses, found->text, &Hypothesis::text)->met);
  }
}
