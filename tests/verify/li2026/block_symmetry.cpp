#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/block-symmetry";
const std::string engines = "sweep.run.engine, embedding.kind=";

}  // namespace

TEST_CASE("classes of a group stay alike over all entries of W, and the run in the algebra is the same") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::sharp);
  for (const Finding& finding : report.findings) CHECK(finding.verdict == Verdict::sharp);
}

TEST_CASE("the dense runs of the symmetry check multiply by embeddings written out") {
  bool dense = false;
  for (const EvidencePoint& point : quick_evidence(id)[0]) {
    for (const Trajectory& one : point.run().trajectories) {
      CHECK(one.engine == name_of(point.experiment.engine));
      if (one.engine != "dense") continue;
      dense = true;
      CHECK(one.engine_reason.find("drop out") == std::string::npos);
    }
  }
  CHECK(dense);
}

TEST_CASE("a rule of signs in the coordinates of W breaks the symmetry, and the check fails") {
  const std::string rule = GENERATE("signgd", "adam");
  CAPTURE(rule);
  const CheckReport report =
      judged(id, quick_evidence(id, {"optimizer.gd.rule=\"" + rule + "\"", "optimizer.gd.step_size=0.1"}));
  CHECK(report.verdict() == Verdict::fails);
  CHECK(verdict_of(report, "gd/spread") == Verdict::fails);
  CHECK(verdict_of(report, "gd/losses") == Verdict::fails);
  CHECK(verdict_of(report, "muon") == Verdict::sharp);
}

TEST_CASE(
    "one class that differs by 1e-11 at one step fails the symmetry check, as does another run in the "
    "algebra") {
  Evidence one_class = quick_evidence(id), other_run = quick_evidence(id);
  for (EvidencePoint& point : one_class.experiments[0]) {
    if (point.experiment.engine == Engine::dense)
      point.result.runs.front().trajectories.back().series.at("error")[40] *= 1 + 1e-11;
  }
  CHECK(judged(id, one_class).verdict() == Verdict::fails);
  for (EvidencePoint& point : other_run.experiments[0]) {
    if (point.experiment.engine == Engine::dense) continue;
    for (double& norm : point.result.runs.front().trajectories.front().series.at("weight_stable_rank"))
      norm *= 1 + 1e-11;
  }
  CHECK(verdict_of(judged(id, other_run), "gd/singular-values") == Verdict::fails);
}

TEST_CASE("embeddings that are not orthonormal, or runs without a twin, leave the symmetry open") {
  const Evidence correlated = quick_evidence(id, {"embedding.sigma=0.2"});
  CHECK(judged(id, correlated).verdict() == Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {"run.classes=groups"})).verdict() == Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {engines + "[[\"dense\", \"noisy\"]]"})).verdict() ==
        Verdict::inconclusive);
}
