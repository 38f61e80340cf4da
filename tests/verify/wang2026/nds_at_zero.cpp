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
  for (const std::size_t experiment : {0, 2}) {
    Evidence off = effective;
    change(off, experiment, "nds_effective", more);
    CHECK(verdict_of(judged(id, off), "effective") == Verdict::fails);
  }
}

TEST_CASE("of rotated blocks with unequal classes nothing is decided") {
  const Evidence unequal = quick_evidence_with(
      id, 2, {"classes.head_fraction=0.3333333333333333", "sweep.run.engine=[\"dense\"]"});
  CHECK(judged(id, unequal).verdict() == Verdict::inconclusive);
}
