#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2026/matched-loss";

double ratio(const CheckReport& report, const std::string& of) {
  return std::exp(report.of("ratio/" + of).front()->measured);
}

}  // namespace

TEST_CASE("at the same loss the ratio grows with the exponent early, and is below 1 late") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::evidence);
  CHECK(verdict_of(report, "growth") == Verdict::holds);
  CHECK(ratio(report, "s = 1, loss 0.9 ln K") == Approx(7.9).epsilon(0.2));
  CHECK(ratio(report, "s = 1, loss 0.15 ln K") == Approx(0.29).epsilon(0.1));
  for (const char* s : {"0", "1"}) CHECK(ratio(report, "s = " + std::string(s) + ", loss 0.15 ln K") < 1);
}

TEST_CASE("rules that do not differ have no growth") {
  require_failure(id, "signgd", "muon", "growth");
}
