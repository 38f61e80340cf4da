#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2025/one-step-signgd-coupled";

}  // namespace

TEST_CASE("SignGD's first step with rotated blocks has the sharp exponents") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::sharp);
  const Finding& in_k = *report.of("exponent-in-k").front();
  CHECK(in_k.measured == Approx(-0.3557).margin(5e-5));
  CHECK(*in_k.sharp == Approx(-0.3557).margin(5e-5));
  CHECK(in_k.published == "<= -0.3");
  CHECK(report.of("exponent-in-epsilon").front()->measured == Approx(-0.6443).margin(5e-5));
  CHECK(report.of("exponent-in-epsilon").front()->published == ">= -0.7");
}

TEST_CASE("the local exponent in K is far from its limit until K = 1e100") {
  const CheckReport report = judged(
      id, quick_evidence(id, {"sweep.classes.count=[300, 3e3, 3e20, 1.3e40, 2.1e100, 1.1e150, 3e250]"}));
  const Curve& slopes = report.curves[1];
  CHECK(slopes.series[0].y[0] == Approx(-0.3055).margin(5e-5));
  CHECK(slopes.series[0].y[2] == Approx(-0.3495).margin(5e-5));
  CHECK(slopes.series[0].y[4] == Approx(-0.3557).margin(5e-5));
}

TEST_CASE("another rule under the label of coupled SignGD fails") {
  const std::string rule = GENERATE("gd", "muon", "tra_signgd");
  CAPTURE(rule);
  const Evidence evidence = quick_evidence(id, {"optimizer.signgd.rule=\"" + rule + "\""});
  CHECK(judged(id, evidence).verdict() == Verdict::fails);
}

TEST_CASE("exponents of coupled SignGD that are not the sharp ones fail, on either side of them") {
  const double off = GENERATE(-0.01, 0.01, 0.1);
  Evidence in_k = quick_evidence(id), in_epsilon = in_k;
  change(in_k, 0, "rho_at_threshold", [off](double rho, const EvidencePoint& point, std::int64_t) {
    return rho * std::pow(point.class_total(), off);
  });
  CHECK(verdict_of(judged(id, in_k), "exponent-in-k") == Verdict::fails);
  const Verdict bounded = verdict_of(judged(id, in_k), "order");
  CHECK(bounded == (off == 0.1 ? Verdict::fails : Verdict::holds));  // 0.1 is beyond 0.3557 - 0.3
  change(in_epsilon, 0, "rho_at_threshold", [off](double rho, const EvidencePoint& point, std::int64_t) {
    return rho * std::pow(point.experiment.rho_epsilon, off);
  });
  CHECK(verdict_of(judged(id, in_epsilon), "exponent-in-epsilon") == Verdict::fails);
}

TEST_CASE("the infimum of coupled SignGD is exactly 0, and the value at the threshold is not taken for it") {
  Evidence evidence = quick_evidence(id);
  for (const EvidencePoint& point : evidence[0]) {
    CHECK(point.at("signgd", "rho", 1) == 0);
    CHECK(point.at("signgd", "rho_at_threshold", 1) > 0);
  }
  const CheckReport right = judged(id, evidence);
  CHECK(right.of("infimum").front()->rule.find("-0.0062") != std::string::npos);  // D_22 - D_12
  change(evidence, 0, "rho", [](double, const EvidencePoint& point, std::int64_t step) {
    return point.at("signgd", "rho_at_threshold", step);
  });
  CHECK(verdict_of(judged(id, evidence), "infimum") == Verdict::fails);
}

TEST_CASE("a wrong constant of coupled SignGD, and a dependence on the imbalance, fail") {
  Evidence constant = quick_evidence(id), mass = constant;
  change(constant, 0, "rho_at_threshold",
         [](double rho, const EvidencePoint&, std::int64_t) { return rho * (1 + 1e-9); });
  CHECK(verdict_of(judged(id, constant), "closed-form") == Verdict::fails);
  change(mass, 0, "rho_at_threshold", [](double rho, const EvidencePoint& point, std::int64_t) {
    return rho * (point.parameter("classes.head_mass") == 0.3 ? 1 + 1e-9 : 1);
  });
  CHECK(verdict_of(judged(id, mass), "masses") == Verdict::fails);
}

TEST_CASE("the statement on coupled SignGD is left open with label noise and with other angles") {
  CHECK(judged(id, quick_evidence(id, {"data.label_noise=0.1"})).verdict() == Verdict::inconclusive);
  const CheckReport turned = judged(id, quick_evidence(id, {"embedding.angles=[3.5, 2.9, 5.2]"}));
  CHECK(turned.verdict() == Verdict::inconclusive);
  CHECK_FALSE(turned.hypotheses[0].met);
}
