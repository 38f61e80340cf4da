#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "rarefact2026/first-step";

}  // namespace

TEST_CASE("the first step of Muon divides by the norm over an answer's queries") {
  require_sharp(id);
}

TEST_CASE("other gains and other singular values fail") {
  require_failure(id, "muon", "tra_signgd", "gain");
  require_failure(id, "gd", "muon", "values");
  Evidence push = quick_evidence(id), growing = push, values = push;
  change(push, 0, "push", [](double gain, const EvidencePoint&, std::int64_t) { return gain * (1 + 1e-11); });
  CHECK(verdict_of(judged(id, push), "gain") == Verdict::fails);
  change(growing, 0, "push",
         [](double gain, const EvidencePoint&, std::int64_t) { return gain * (1 + 1e-3); });
  CHECK(verdict_of(judged(id, growing), "order") == Verdict::fails);
  for (EvidencePoint& point : values.experiments[0])
    point.result.runs[0].trajectories[1].series.at("update_entropy")[0] *= 1 + 1e-11;
  CHECK(verdict_of(judged(id, values), "values") == Verdict::fails);
}

TEST_CASE("where queries of an answer are alike their differences are not tested") {
  CHECK(judged(id, quick_evidence(id, {"answers.within=0"})).verdict() == Verdict::inconclusive);
}
