#include "verify/kim2026/capacity.hpp"

using namespace tampered;

namespace {

const std::string thresholded = "kim2026/multi-step-thresholded", exact = "kim2026/multi-step-exact";

}  // namespace

TEST_CASE(
    "several steps of Muon are evidence, in the loss against the claim, and the conjecture on the exact gradient says it is open") {
  const Evidence with = quick_evidence(thresholded), without = quick_evidence(exact);
  const CheckReport known = judged(thresholded, with), open = judged(exact, without);
  require_evidence_only(known, "loss-over-first");
  require_evidence_only(open);
  CHECK(finding_of(known, "capacity/step 2").published == "1.556");
  CHECK(finding_of(open, "capacity/step 2").published == "open: 1.556");
  CHECK(finding_of(open, "loss/step 2").published == "open: -0.7778");
  CHECK(check_row(exact).title.starts_with("open conjecture"));
  CHECK(open.note.starts_with("Open: "));
  // Nothing is recovered at W = 0, so the first step is the same.
  CHECK(finding_of(known, "capacity/step 1").measured == finding_of(open, "capacity/step 1").measured);
}

TEST_CASE("one gradient instead of the other is not what the statement on several steps is about",
          "[numbers]") {
  CHECK(judged(thresholded, quick_evidence(thresholded, {"data.recovered=kept"})).verdict() ==
        Verdict::inconclusive);
  CHECK(judged(exact, quick_evidence(exact, {"data.recovered=removed"})).verdict() == Verdict::inconclusive);
}

TEST_CASE("gradient descent under the label of Muon fails over several steps, too", "[numbers]") {
  for (const std::string& id : {thresholded, exact}) {
    const CheckReport report = judged(id, quick_evidence(id, {"optimizer.muon.rule=gd"}));
    CHECK(report.verdict() == Verdict::fails);
    CHECK(verdict_of(report, "capacity-above-1") == Verdict::fails);
  }
}

TEST_CASE("a run that learns nothing after its first step fails, and other step sizes leave it open",
          "[numbers]") {
  Evidence stuck = quick_evidence(exact);
  for (EvidencePoint& point : stuck.experiments[0]) {
    std::vector<double>& count = point.result.runs.front().trajectories.front().series.at("recovered_count");
    count.back() = count[1];
  }
  CHECK(verdict_of(judged(exact, stuck), "more-than-at-first") == Verdict::fails);
  const Evidence constant = quick_evidence(
      exact,
      {"sweep.embedding.dimension, classes.count, optimizer.muon.step_size=[[32, 512, 8], [64, 1024, 8], "
       "[128, 2048, 8]]"});
  CHECK(judged(exact, constant).verdict() == Verdict::inconclusive);
}

TEST_CASE(
    "a loss that rises over the steps is evidence against several steps of Muon, whatever the seeds differ by",
    "[numbers]") {
  for (const auto& [factor, words, verdict] :
       {std::tuple{0.5, "it falls", Verdict::evidence}, std::tuple{2.0, "it rises", Verdict::against}}) {
    Evidence changed = quick_evidence(thresholded);
    change(changed, 0, "loss", [factor = factor](double, const EvidencePoint& point, std::int64_t step) {
      const double of_seed = 1 + 0.1 * static_cast<double>(point.experiment.seed);
      return step == 1 ? 3 * of_seed : 3 * factor * of_seed;
    });
    const CheckReport report = judged(thresholded, changed);
    const Finding& ratio = finding_of(report, "loss-over-first");
    CHECK(ratio.measured == Approx(factor).epsilon(1e-14));
    CHECK(ratio.rule.ends_with(words));
    CHECK(ratio.verdict == verdict);
    CHECK(report.verdict() == verdict);
  }
  // Seeds that differ in the direction: neither.
  Evidence mixed = quick_evidence(thresholded);
  change(mixed, 0, "loss", [](double, const EvidencePoint& point, std::int64_t step) {
    return step == 1 ? 1 : point.experiment.seed % 2 == 0 ? 2 : 0.6;
  });
  CHECK(finding_of(judged(thresholded, mixed), "loss-over-first").verdict == Verdict::evidence);
}
