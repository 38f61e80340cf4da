#include <algorithm>
#include <cmath>

using namespace tampered;

namespace {

const std::string id = "kim2026/critical-batch";

}  // namespace

TEST_CASE("Muon saturates at larger batches than gradient descent, with exponents that are evidence only") {
  const CheckReport report = judged(id, quick_evidence(id));
  require_evidence_only(report);
  CHECK(finding_of(report, "growth/muon").measured == Approx(1 / 1.5).margin(0.1));
  CHECK(finding_of(report, "saturation/muon").published == "derived: 2");
}

TEST_CASE("one rule under both labels, or the labels exchanged, fail at the critical batch", "[numbers]") {
  const std::vector<std::vector<std::string>> swaps = {{"optimizer.muon.rule=gd"},
                                                       {"optimizer.gd.rule=muon"},
                                                       {"optimizer.muon.rule=gd", "optimizer.gd.rule=muon"}};
  for (const auto& swap : swaps) {
    const CheckReport report = judged(id, quick_evidence(id, swap));
    CHECK(report.verdict() == Verdict::fails);
    CHECK(verdict_of(report, "apart") == Verdict::fails);
  }
}

TEST_CASE("the batch with half of the facts is where the curve of counts says", "[numbers]") {
  // Counts that grow as B^{2/3} up to B = d and stay there have half of them at B = d / 2^{3/2}.
  Evidence exact = quick_evidence(id);
  change(exact, 0, "recovered_count", [](double, const EvidencePoint& point, std::int64_t) {
    const double d = point.experiment.query_embedding.parameters.number("dimension");
    return std::pow(std::min(point.experiment.data_parameters.number("batch"), d), 2 / 3.0);
  });
  const CheckReport report = judged(id, exact);
  const Finding& half = finding_of(report, "saturation/muon");
  CHECK(half.measured == Approx(1).margin(1e-9));
  CHECK(*half.high - *half.low < 1e-9);
  CHECK(finding_of(report, "growth/muon").measured == Approx(2 / 3.0).margin(1e-9));
}

TEST_CASE("with label noise the statement on batches is left open", "[numbers]") {
  CHECK(judged(id, quick_evidence(id, {"data.label_noise=0.1", "sweep.seed={range=[1, 3]}"})).verdict() ==
        Verdict::inconclusive);
}

TEST_CASE("batches that begin beyond half of the facts leave the critical batch open", "[numbers]") {
  const CheckReport report = judged(id, quick_evidence(id, {"sweep.data.batch=[4096, 8192, 65536]"}));
  CHECK(report.verdict() == Verdict::inconclusive);
}
