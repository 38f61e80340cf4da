#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "rarefact2026/late-lock";

}  // namespace

TEST_CASE("fast answers wait for the slow ones, which is evidence") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::evidence);
  CHECK(report.of("constant").front()->measured == Approx(0.4).margin(0.1));
}

TEST_CASE("errors that part early, or late, or elsewhere fail") {
  const auto with = [](const std::string& variable, const auto& f) {
    Evidence evidence = quick_evidence(id);
    change(evidence, 0, variable, f);
    return judged(id, evidence);
  };
  CHECK(verdict_of(with("error", [](double error, const EvidencePoint&,
                                    std::int64_t step) { return step == 1 ? error * (1 + 1e-8) : error; }),
                   "before") == Verdict::fails);
  CHECK(verdict_of(
            with("error", [](double error, const EvidencePoint&, std::int64_t) { return error * error; }),
            "constant") == Verdict::fails);
  CHECK(verdict_of(with("loss", [](double loss, const EvidencePoint&, std::int64_t) { return 1.1 * loss; }),
                   "total") == Verdict::fails);
  // Where twins are held together there as well nothing waits.
  CHECK(verdict_of(judged(id, quick_evidence(id, {"run.engine=symmetric"})), "after") == Verdict::fails);
}
