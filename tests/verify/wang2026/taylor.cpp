#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2026/taylor";

}  // namespace

TEST_CASE(
    "gain, penalty and remainder of first updates have their closed forms and sum to the change of the loss") {
  require_sharp(id);
}

TEST_CASE("terms or losses that are off fail") {
  require_failure(id, "muon", "gd", "terms/muon");
  for (const char* name : {"first_order_gain", "curvature_penalty", "taylor_remainder"}) {
    CAPTURE(name);
    Evidence off = quick_evidence(id);
    change(off, 0, name, [](double x, const EvidencePoint&, std::int64_t) { return x * (1 + 1e-10); });
    CHECK(verdict_of(judged(id, off), "terms") == Verdict::fails);
  }
  Evidence later = quick_evidence(id);
  change(later, 0, "loss", [](double loss, const EvidencePoint&, std::int64_t step) {
    return step == 7 ? loss + 1e-12 : loss;
  });
  CHECK(verdict_of(judged(id, later), "sum") == Verdict::fails);
  CHECK(verdict_of(judged(id, later), "terms") <= Verdict::holds);
}
