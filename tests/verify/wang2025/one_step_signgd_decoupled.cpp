#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2025/one-step-signgd-decoupled";

}  // namespace

TEST_CASE("SignGD's first step with identity embeddings gives ϱ = 1-ε") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::sharp);
  for (const Finding& finding : report.findings) CHECK(finding.verdict == Verdict::sharp);
}

TEST_CASE("another rule under the label of SignGD fails, also where it is nearly as balanced") {
  const std::string rule = GENERATE("gd", "muon");  // Muon's deficit is of order ln K/K
  CAPTURE(rule);
  const Evidence evidence = quick_evidence(id, {"optimizer.signgd.rule=\"" + rule + "\""});
  CHECK(judged(id, evidence).verdict() == Verdict::fails);
}

TEST_CASE("ϱ of SignGD that is not quite 1-ε fails, and so does an infimum below it") {
  Evidence constant = quick_evidence(id), infimum = constant;
  change(constant, 0, "rho_at_threshold",
         [](double rho, const EvidencePoint&, std::int64_t) { return rho * (1 - 1e-10); });
  CHECK(verdict_of(judged(id, constant), "rho") == Verdict::fails);
  change(infimum, 0, "rho", [](double, const EvidencePoint&, std::int64_t) { return 0.0; });
  CHECK(verdict_of(judged(id, infimum), "infimum") == Verdict::fails);
}

TEST_CASE("the statement on decoupled SignGD is left open with label noise and with other embeddings") {
  CHECK(judged(id, quick_evidence(id, {"data.label_noise=0.1"})).verdict() == Verdict::inconclusive);
  const CheckReport mixed = judged(
      id, quick_evidence(id, {"embedding.kind=\"block_rotation\"", "sweep.classes.count=[30, 300, 3e3]"}));
  CHECK(mixed.verdict() == Verdict::inconclusive);
  CHECK(verdict_of(mixed, "rho") == Verdict::inconclusive);
}
