#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "rarefact2026/rho-of-fan-in";

}  // namespace

TEST_CASE("ϱ of one step of Muon falls as K^-(1-ρ), ρ the root of the ratio of fan-ins") {
  const CheckReport report = require_sharp(id);
  CHECK(report.of("exponent/ρ = 0.5").front()->measured == Approx(-0.5).margin(1e-3));
  CHECK(report.of("exponent/ρ = 0.25").front()->measured == Approx(-0.75).margin(1e-3));
}

TEST_CASE("another exponent, another order and another ϱ fail") {
  require_failure(id, "muon", "gd", "exponent");
  require_failure(id, "muon", "signgd", "rho");
  Evidence exponent = quick_evidence(id), exact = exponent;
  change(exponent, 0, "rho_at_threshold", [](double rho, const EvidencePoint& point, std::int64_t) {
    return rho * std::pow(point.class_total(), 0.003);
  });
  for (const char* finding : {"exponent", "order", "rho"})
    CHECK(verdict_of(judged(id, exponent), finding) == Verdict::fails);
  change(exact, 0, "rho_at_threshold",
         [](double rho, const EvidencePoint&, std::int64_t) { return rho * (1 + 1e-11); });
  CHECK(verdict_of(judged(id, exact), "rho") == Verdict::fails);
}

TEST_CASE("a law of one fan-in says nothing of unequal ones") {
  const CheckReport report = judged(id, quick_evidence(id, {"answers.fan_in=4"}));
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(report.findings.empty());
}
