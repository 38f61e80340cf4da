#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2026/embeddings";

}  // namespace

TEST_CASE("Muon is below SignGD with random rotations, and far above it with identity embeddings") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::sharp);
  for (const Finding* one : report.of("identity")) CHECK(one->measured == Approx(0.0648).epsilon(2e-3));
  CHECK(report.of("haar/power law").front()->measured == Approx(4.25).margin(0.5));
  CHECK(report.of("haar/two levels").front()->measured == Approx(1.8).margin(0.1));
}

TEST_CASE("a sign that takes its update in the other basis fails") {
  require_failure(id, "signgd", "tra_signgd", "haar");
  Evidence swapped = quick_evidence(id);
  for (EvidencePoint& point : swapped.experiments[0]) {
    auto& trajectories = point.result.runs[0].trajectories;
    std::swap(trajectories[0].series.at("nds"), trajectories[1].series.at("nds"));
  }
  CHECK(verdict_of(judged(id, swapped), "haar") == Verdict::fails);
  CHECK(verdict_of(judged(id, swapped), "identity") == Verdict::fails);
}

TEST_CASE("a sharpness a tenth off its limit of many classes fails") {
  Evidence off = quick_evidence(id);
  for (const std::size_t experiment : {0, 1})
    change(off, experiment, "nds", [](double nds, const auto&, std::int64_t) { return 1.1 * nds; });
  const CheckReport report = judged(id, off);
  for (const Finding* limit : report.of("limit")) CHECK(limit->verdict == Verdict::fails);
  CHECK(verdict_of(report, "haar") == Verdict::holds);
}

TEST_CASE("without one of the two kinds of embeddings nothing is decided") {
  for (const char* kind : {"identity", "orthogonal"}) {
    CAPTURE(kind);
    Evidence one = quick_evidence(id);
    for (EvidencePoints& points : one.experiments)
      std::erase_if(
          points, [&](const EvidencePoint& point) { return point.experiment.query_embedding.kind == kind; });
    CHECK(judge_check(check_row(id), one).verdict() >= Verdict::inconclusive);
  }
}
