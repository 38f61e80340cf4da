#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "paquette2026/phases";

}  // namespace

TEST_CASE("R of Muon over that of SignGD has its known values, and no ordering is wrong") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::evidence);
  for (const Finding& finding : report.findings) CHECK(finding.verdict <= Verdict::evidence);
  const double known[][5] = {{1.30, 1.75, 2.04, 1.49, 0.869},
                             {1.17, 0.947, 0.639, 0.311, 0.0697},
                             {2.63, 5.00, 7.80, 10.3, 6.71},
                             {1.00, 0.557, 0.257, 0.102, 0.0354}};
  for (std::size_t s = 0; s < 4; ++s) {
    for (std::size_t h = 0; h < 5; ++h)
      CHECK(report.curves[0].series[s].y[h] == Approx(known[s][h]).epsilon(0.005));
  }
  CHECK(report.curves[1].series.size() == 3);
}

TEST_CASE("curvatures of another power than is said fail") {
  Evidence evidence = quick_evidence(id);
  for (EvidencePoint& point : evidence.experiments[0]) {
    for (double& p : point.result.runs.front().class_probability) p = std::pow(p, 0.3);
  }
  const CheckReport report = judged(id, evidence);
  CHECK(verdict_of(report, "inside") == Verdict::fails);
  CHECK(verdict_of(report, "signgd") == Verdict::fails);
}
