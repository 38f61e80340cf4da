
using namespace tampered;

namespace {

const std::string id = "kim2026/one-step-newton";

}  // namespace

TEST_CASE("one step of Newton's method recovers about as many facts as one of Muon, which is evidence only") {
  const CheckReport report = judged(id, quick_evidence(id));
  require_evidence_only(report);
  const Finding& ratio = finding_of(report, "over-muon/a = 1.5");
  // NumPy with the Hessian at zero in its eigenvectors, d = 128, N = 2048, 40 seeds of its own.
  CHECK(ratio.measured == Approx(1.025).margin(0.05));
  CHECK(*ratio.low < ratio.measured);
}

TEST_CASE("gradient descent under the label of Newton's method fails", "[numbers]") {
  const CheckReport report = judged(id, quick_evidence(id, {"optimizer.newton.rule=gd"}));
  CHECK(report.verdict() == Verdict::fails);
  CHECK(verdict_of(report, "above-1") == Verdict::fails);
}

TEST_CASE("with a damped Hessian the statement on Newton's method is left open", "[numbers]") {
  const CheckReport report = judged(id, quick_evidence(id, {"optimizer.newton.damping=1e-3"}));
  CHECK(report.verdict() == Verdict::inconclusive);
}
