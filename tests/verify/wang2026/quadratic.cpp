#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

TEST_CASE(
    "on a quadratic the sharpness of gd falls below that of muon once, and nothing is beyond second order") {
  const std::string id = "wang2026/quadratic";
  require_sharp(id);
  for (const char* name : {"gd", "muon"}) {
    Evidence off = quick_evidence(id);
    change(off, 0, "nds", [](double x, const EvidencePoint&, std::int64_t) { return x * (1 + 1e-10); });
    CHECK(verdict_of(judged(id, off), name) == Verdict::fails);
  }
  require_failure(id, "gd", "muon", "crossings");
  Evidence later = quick_evidence(id);
  change(later, 0, "taylor_remainder", [](double, const EvidencePoint&, std::int64_t) { return 1e-300; });
  CHECK(verdict_of(judged(id, later), "remainder") == Verdict::fails);
  Evidence shifted = quick_evidence(id);
  change(shifted, 0, "nds", [](double x, const EvidencePoint&, std::int64_t step) {
    return step == 7000 && x < 0.005 ? 1.0 : x;
  });
  CHECK(verdict_of(judged(id, shifted), "crossings") == Verdict::fails);
}
