#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "rarefact2026/loss-exponent";

}  // namespace

TEST_CASE("unequal fan-ins turn Muon's exponential into a power law") {
  const CheckReport report = require_sharp(id);
  CHECK(report.of("exponent/s = 0.5").front()->measured == Approx(-2).margin(1e-4));
  CHECK(report.of("exponent/s = 0.75").front()->measured == Approx(-2.0 / 3).margin(1e-4));
}

TEST_CASE("another rule and another loss fail") {
  require_failure(id, "muon", "tra_signgd", "loss");
  Evidence scaled = quick_evidence(id), steeper = scaled;
  change(scaled, 0, "loss", [](double loss, const EvidencePoint&, std::int64_t) { return 1.1 * loss; });
  CHECK(verdict_of(judged(id, scaled), "loss") == Verdict::fails);
  change(steeper, 0, "loss", [](double loss, const EvidencePoint&, std::int64_t step) {
    return loss * std::pow(static_cast<double>(step) + 1, -0.15);
  });
  CHECK(verdict_of(judged(id, steeper), "run") == Verdict::fails);
}
