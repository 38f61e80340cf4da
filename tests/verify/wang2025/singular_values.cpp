#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2025/singular-values";

}  // namespace

TEST_CASE("the first steps have the exact singular values") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::sharp);
  for (const Finding& finding : report.findings) CHECK(finding.verdict == Verdict::sharp);
}

TEST_CASE("SignGD's ratio is 24.7 % without the all-ones direction, which the report says") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.note.find("leaves out the single all-ones direction") != std::string::npos);
  const Curve& ratio = report.curves.back();
  CHECK(ratio.x[0] == 6);
  CHECK(ratio.series[0].y.back() == Approx(0.24698).epsilon(1e-5));
  CHECK(ratio.series[2].y.back() < 1e-15);
}

TEST_CASE("SignGD's ratio exceeds the published bound at small K, which the report says and does not hide") {
  const CheckReport report = judged(id, quick_evidence(id));
  const std::vector<double>& ratio = report.curves.back().series[0].y;
  // The margin is the last digit of the known numbers.
  CHECK(ratio[0] == Approx(0.275051).margin(6e-7).epsilon(0));
  CHECK(ratio[1] == Approx(0.319611).margin(6e-7).epsilon(0));
  CHECK(ratio[2] == Approx(0.327685).margin(6e-7).epsilon(0));
  CHECK(ratio[3] == Approx(0.227895).margin(6e-7).epsilon(0));
  CHECK(report.note.find("0.2751 at K = 6, 0.3196 at K = 12, 0.3277 at K = 18") != std::string::npos);
}

TEST_CASE("the ratio with the all-ones direction, or above the bound, fails") {
  const Evidence right = quick_evidence(id);
  Evidence with_all_ones = right, above = right;
  change(with_all_ones, 2, "update_condition_ratio_rest",
         [](double, const EvidencePoint& point, std::int64_t step) {
           return point.at("signgd", "update_condition_ratio", step);
         });
  CHECK(verdict_of(judged(id, with_all_ones), "signgd-ratio") == Verdict::fails);
  change(above, 2, "update_condition_ratio_rest",
         [](double, const EvidencePoint&, std::int64_t) { return 0.26; });
  CHECK(verdict_of(judged(id, above), "signgd-ratio") == Verdict::fails);
}

TEST_CASE("another rule under a label has other singular values") {
  struct Case {
    std::size_t experiment;
    const char *override, *finding;
  };
  const Case wrong = GENERATE(Case{0, "optimizer.gd.rule=\"signgd\"", "residual-two-levels"},
                              Case{0, "optimizer.muon.rule=\"ngd\"", "muon-ratio"},
                              Case{0, "optimizer.muon.rule=\"signgd\"", "muon"},
                              Case{1, "optimizer.gd.rule=\"muon\"", "residual-many-levels"},
                              Case{2, "optimizer.signgd.rule=\"muon\"", "signgd-ratio"},
                              Case{2, "optimizer.signgd.rule=\"gd\"", "signgd"});
  CAPTURE(wrong.override);
  const CheckReport report = judged(id, quick_evidence_with(id, wrong.experiment, {wrong.override}));
  CHECK(verdict_of(report, wrong.finding) == Verdict::fails);
}

TEST_CASE("one measure that is off in its tenth digit fails") {
  const char* metric = GENERATE("effective_rank", "entropy", "top_energy_fraction", "quartile_ratio",
                                "stable_rank", "condition_ratio", "rank", "frobenius_norm", "spectral_norm");
  CAPTURE(metric);
  Evidence evidence = quick_evidence(id);
  change(evidence, 1, std::string("update_") + metric,
         [](double value, const EvidencePoint&, std::int64_t) { return value * (1 + 1e-10); });
  CHECK(verdict_of(judged(id, evidence), "residual-many-levels") == Verdict::fails);
}

TEST_CASE("the statement on singular values is left open with label noise") {
  CHECK(judged(id, quick_evidence(id, {"data.label_noise=0.1"})).verdict() == Verdict::inconclusive);
}
