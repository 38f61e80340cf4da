#include "verify/kim2026/capacity.hpp"

using namespace tampered;

namespace {

const std::string id = "kim2026/one-step-sgd";

}  // namespace

TEST_CASE("one step of gradient descent: its exponent is evidence only, derived and not quoted") {
  const CheckReport report = judged(id, quick_evidence(id));
  require_evidence_only(report);
  const Finding& exponent = finding_of(report, "capacity/a = 1.5");
  // NumPy, d = 32 to 128, N = 16 d, 40 seeds of its own.
  CHECK(exponent.measured == Approx(0.442).margin(0.2));
  CHECK(exponent.published == "derived: 0.3333");
}

TEST_CASE("Muon under the label of gradient descent fails on Gaussian embeddings", "[numbers]") {
  const CheckReport report = judged(id, quick_evidence(id, {"optimizer.gd.rule=muon"}));
  CHECK(report.verdict() == Verdict::fails);
  CHECK(verdict_of(report, "below-1") == Verdict::fails);
  CHECK(verdict_of(report, "capacity") == Verdict::evidence);
}

TEST_CASE("a count of no facts has no exponent, and fails", "[numbers]") {
  Evidence none = quick_evidence(id);
  change(none, 0, "recovered_count", [](double, const EvidencePoint&, std::int64_t) { return 0.0; });
  CHECK(verdict_of(judged(id, none), "capacity") == Verdict::fails);
}

TEST_CASE("with embeddings on a sphere the statement on one step of gradient descent is left open",
          "[numbers]") {
  const Evidence evidence = quick_evidence(id, {"embedding.kind=sphere"});
  CHECK(judged(id, evidence).verdict() == Verdict::inconclusive);
}
