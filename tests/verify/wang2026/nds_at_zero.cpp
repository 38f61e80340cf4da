#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2026/nds-at-zero";

}  // namespace

TEST_CASE("the first update's sharpness has its closed forms in every engine") {
  require_sharp(id);
}

TEST_CASE("sharpness of another rule, or off by 1e-11, fails") {
  require_failure(id, "gd", "muon", "nds/gd");
  require_failure(id, "muon", "tra_signgd", "nds/muon");
  Evidence nds = quick_evidence(id), effective = nds;
  const auto more = [](double value, const EvidencePoint&, std::int64_t) { return value * (1 + 1e-11); };
  change(nds, 1, "nds", more);
  CHECK(verdict_of(judged(id, nds), "nds") == Verdict::fails);
  change(effective, 0, "nds_effective", more);
  CHECK(verdict_of(judged(id, effective), "effective") == Verdict::fails);
}
