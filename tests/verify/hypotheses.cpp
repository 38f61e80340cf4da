// What statements take for granted: outside of it they are left open, and say why.

#include "verify/claim_text.hpp"
#include "verify/quick_evidence.hpp"

using namespace tampered;

namespace {

/// Evidence of a statement with something else in each of its points leaves it open, for want of a hypothesis.
CheckReport require_open(const CheckRow& row, const std::string& hypothesis,
                         const std::function<void(EvidencePoint&)>& f) {
  CAPTURE(row.id, hypothesis);
  Evidence evidence = quick_evidence(row.id);
  for (EvidencePoints& points : evidence.experiments) std::ranges::for_each(points, f);
  const CheckReport report = judged(row.id, evidence);
  CHECK(report.verdict() == Verdict::inconclusive);
  const auto found = std::ranges::find(report.hypotheses, hypothesis, &Hypothesis::text);
  REQUIRE(found != report.hypotheses.end());
  CHECK_FALSE(found->met);
  CHECK(std::ranges::find(quick_report(row.id).hypotheses, hypothesis, &Hypothesis::text)->met);
  return report;
}

}  // namespace

TEST_CASE("schedules, momentum and the other kind of gradient leave every statement open", "[numbers]") {
  for (const CheckRow& row : check_catalogue()) {
    const auto assumes = [&](const char* words) {
      return std::ranges::count(row.claim->assumptions, words, &claims::Assumption::text) > 0;
    };
    require_open(row, "constant step sizes",
                 [](EvidencePoint& point) { point.experiment.optimizers.front().schedule = "linear"; });
    const bool thresholded = !assumes("the exact gradient");
    require_open(row, thresholded ? "recovered facts give no gradient" : "the exact gradient",
                 [&](EvidencePoint& point) { point.experiment.removes_recovered = !thresholded; });
    if (!assumes("no momentum")) continue;
    require_open(row, "no momentum", [](EvidencePoint& point) {
      point.experiment.optimizers.front().parameters.set("momentum", 0.1);
    });
  }
}

TEST_CASE("queries that share answers, or have several, leave statements on an answer for every query open") {
  const std::string equal = "equal fan-in: one query for every answer";
  AnswerGroups shared, several;
  shared.query_count = 6;
  shared.fan_in = {3, 3};
  several.query_count = 2;
  several.fan_in = {2, 2};
  shared.answer_count = several.answer_count = 2;
  std::size_t tested = 0;
  for (const CheckRow& row : check_catalogue()) {
    if (std::ranges::count(row.claim->assumptions, equal, &claims::Assumption::text) == 0) continue;
    ++tested;
    for (const AnswerGroups& answers : {shared, several}) {
      const CheckReport report = require_open(
          row, equal, [&](EvidencePoint& point) { point.result.runs.front().answers = answers; });
      CHECK(report.findings.empty());
    }
  }
  CHECK(tested >= 14);
  const Words law = {"answers.law=fan_in", "answers.fan_in={exponent = 1, largest = 3}"};
  CHECK(judged("li2026/muon-noiseless", quick_evidence("li2026/muon-noiseless", law)).verdict() ==
        Verdict::inconclusive);
}

TEST_CASE("with fewer than four seeds nothing is judged") {
  const CheckReport report = judged("li2026b/rate", quick_evidence("li2026b/rate", {"sweep.seed=[1, 2, 3]"}));
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(report.findings.empty());
}

TEST_CASE("evidence of a search is of the step size that was chosen") {
  const Evidence evidence =
      quick_evidence("li2026/block-symmetry", {"optimizer.muon.step_size={search = [0.1, 0.4, 3]}"});
  for (const EvidencePoint& point : evidence[0]) {
    for (std::size_t o = 0; o < point.experiment.optimizers.size(); ++o) {
      const OptimizerChoice& choice = point.experiment.optimizers[o];
      const double chosen = point.run().trajectories[o].step_size;
      CHECK(choice.step_size == chosen);
      if (choice.name == "muon") CHECK((chosen == 0.1 || chosen == 0.2 || chosen == 0.4));
    }
  }
}

TEST_CASE("the dense runs of the symmetry check multiply by embeddings written out") {
  bool dense = false;
  for (const EvidencePoint& point : quick_evidence("li2026/block-symmetry")[0]) {
    for (const Trajectory& one : point.run().trajectories) {
      CHECK(one.engine == name_of(point.experiment.engine));
      CHECK((one.engine != "dense" || one.engine_reason.find("drop out") == std::string::npos));
      dense = dense || one.engine == "dense";
    }
  }
  CHECK(dense);
}

TEST_CASE("a run that does not fit into memory is refused, as run does") {
  const CheckOptions options{
      .quick = true, .overrides = {"answers.law=fan_in", "answers.fan_in=3"}, .memory_limit = 1e9};
  CHECK_THROWS_WITH(gather_evidence(check_row("wang2025/one-step-signgd-coupled"), options),
                    Catch::Contains("of memory (allowed: 1 GB)"));
}
