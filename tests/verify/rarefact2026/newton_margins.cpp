#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "rarefact2026/newton-margins";

}  // namespace

TEST_CASE("Newton's margins obey one recursion, whatever the class and the embeddings") {
  const CheckReport report = require_sharp(id);
  CHECK(report.of("alike").front()->measured < 1e-12);
}

TEST_CASE("a rule that sees frequencies is not Newton's, nor is one whose margins are off by a trifle") {
  require_failure(id, "newton", "gd", "alike");
  Evidence late = quick_evidence(id);
  change(late, 0, "error",
         [](double error, const EvidencePoint&, std::int64_t) { return error * (1 + 1e-9); });
  CHECK(verdict_of(judged(id, late), "recursion") == Verdict::fails);
}

TEST_CASE("of equal classes nothing can be said, and fewer dimensions than facts have no recursion") {
  CHECK(judged(id, quick_evidence(id, {"classes.exponent=0"})).verdict() == Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {"embedding.dimension=20", "sweep.embedding.kind=[\"gaussian\"]"}))
            .verdict() == Verdict::inconclusive);
}
