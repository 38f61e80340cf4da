// Statements on an answer for every query: of a law with unequal fan-ins they are left open, and say why.

#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

TEST_CASE("where queries share answers the statements on Muon's balance are left open") {
  for (const std::string id : {"wang2025/one-step-muon", "wang2025/multi-step-muon", "li2026/muon-noiseless",
                               "li2026/muon-scaling-law", "li2026/preconditioner", "li2026/tra-signgd"}) {
    CAPTURE(id);
    const CheckReport report =
        judged(id, quick_evidence(id, {"answers.law=fan_in", "answers.fan_in={exponent = 1, largest = 3}"}));
    CHECK(report.verdict() == Verdict::inconclusive);
    CHECK(report.findings.empty());
    const auto found =
        std::ranges::find(report.hypotheses, "equal fan-in: one query for every answer", &Hypothesis::text);
    REQUIRE(found != report.hypotheses.end());
    CHECK_FALSE(found->met);
    CHECK(found->detail == "fan-in up to 3");
    const CheckReport published = judged(id, quick_evidence(id));
    CHECK(std::ranges::find(published.hypotheses, found->text, &Hypothesis::text)->met);
  }
}
