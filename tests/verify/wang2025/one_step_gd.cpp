#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2025/one-step-gd";

}  // namespace

TEST_CASE("gradient descent's first step is as imbalanced as its exact form, at every K") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::sharp);
  for (const Finding& finding : report.findings) CHECK(finding.verdict == Verdict::sharp);
}

TEST_CASE("another rule under the label of gradient descent fails") {
  const std::string rule = GENERATE("signgd", "muon", "tra_signgd");
  CAPTURE(rule);
  const Evidence evidence = quick_evidence(id, {"optimizer.gd.rule=\"" + rule + "\""});
  CHECK(judged(id, evidence).verdict() == Verdict::fails);
}

TEST_CASE("a wrong exponent of gradient descent's ϱ in K or in ε fails, as does a wrong constant") {
  const Evidence right = quick_evidence(id);
  Evidence in_k = right, in_epsilon = right, constant = right;
  change(in_k, 0, "rho_at_threshold", [](double rho, const EvidencePoint& point, std::int64_t) {
    return rho * std::pow(point.class_total(), 0.01);
  });
  CHECK(verdict_of(judged(id, in_k), "exponent-in-k") == Verdict::fails);
  change(in_epsilon, 0, "rho_at_threshold", [](double rho, const EvidencePoint& point, std::int64_t) {
    return rho * std::pow(point.experiment.rho_epsilon, 0.01);
  });
  CHECK(verdict_of(judged(id, in_epsilon), "exponent-in-epsilon") == Verdict::fails);
  change(constant, 0, "rho_at_threshold",
         [](double rho, const EvidencePoint&, std::int64_t) { return rho * (1 + 1e-5); });
  const CheckReport report = judged(id, constant);
  CHECK(verdict_of(report, "rho/two levels") == Verdict::fails);
  CHECK(verdict_of(report, "order") == Verdict::fails);
  CHECK(verdict_of(report, "exponent-in-k") == Verdict::sharp);
  CHECK(verdict_of(report, "exponent-in-epsilon") == Verdict::sharp);
  CHECK(report.verdict() == Verdict::fails);
}

TEST_CASE("gradient descent's infimum is the value at the threshold, and many levels are compared as well") {
  Evidence infimum = quick_evidence(id), groups = infimum;
  change(infimum, 0, "rho", [](double, const EvidencePoint&, std::int64_t) { return 0.0; });
  CHECK(verdict_of(judged(id, infimum), "infimum") == Verdict::fails);
  change(groups, 1, "rho_at_threshold",
         [](double rho, const EvidencePoint&, std::int64_t) { return rho * (1 + 1e-9); });
  CHECK(verdict_of(judged(id, groups), "rho/many levels") == Verdict::fails);
}

TEST_CASE("with label noise the statement on gradient descent is left open") {
  const CheckReport report = judged(id, quick_evidence(id, {"data.label_noise=0.1"}));
  CHECK(report.verdict() == Verdict::inconclusive);
}
