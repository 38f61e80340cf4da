#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "rarefact2026/fan-in-speed";

}  // namespace

TEST_CASE("Muon's speed falls as r^-1/2, and columns do not see the fan-in") {
  const CheckReport report = require_sharp(id);
  CHECK(report.of("exponent").front()->measured == Approx(-0.5).margin(1e-5));
}

TEST_CASE("another exponent of the fan-in fails, and so do columns that see it") {
  require_failure(id, "muon", "gd", "exponent");
  require_failure(id, "gd", "muon", "gd");
  require_failure(id, "signgd", "muon", "signgd");
  Evidence faster = quick_evidence(id);
  // The odds of an error move as its margin: by a thousandth of it.
  change(faster, 0, "error", [](double error, const EvidencePoint&, std::int64_t step) {
    return error * std::exp(-2e-4 * static_cast<double>(step));
  });
  CHECK(verdict_of(judged(id, faster), "muon") == Verdict::fails);
}

TEST_CASE("with one fan-in there is nothing to measure, nor without a law of answers") {
  Evidence lawless = quick_evidence(id);
  for (EvidencePoint& point : lawless.experiments[0]) point.result.runs[0].answers.reset();
  for (const CheckReport& report :
       {judged(id, quick_evidence(id, {"answers.fan_in=4"})), judged(id, lawless)}) {
    CHECK(report.verdict() == Verdict::inconclusive);
    CHECK(report.findings.empty());
  }
}
