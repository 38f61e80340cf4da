#include "verify/kim2026/capacity.hpp"

using namespace tampered;

namespace {

const std::string id = "kim2026/one-step-muon";

}  // namespace

TEST_CASE("one step of Muon: its exponents are evidence only, and near those of an independent script") {
  const CheckReport report = judged(id, quick_evidence(id));
  require_evidence_only(report);
  // NumPy, d = 32 to 128, N = 16 d, 40 seeds of its own: see the interval of 8 seeds.
  const Finding& exponent = finding_of(report, "capacity/a = 1.5");
  CHECK(exponent.measured == Approx(1.333).margin(0.1));
  CHECK(exponent.published == "1.333");
  CHECK(finding_of(report, "in-facts/d = 128").measured < 0);
}

TEST_CASE("gradient descent under the label of Muon fails, and Muon under that of gradient descent",
          "[numbers]") {
  for (const char* swap : {"optimizer.muon.rule=gd", "optimizer.gd.rule=muon"}) {
    CAPTURE(swap);
    CHECK(judged(id, quick_evidence(id, {swap})).verdict() == Verdict::fails);
  }
}

TEST_CASE("counts, masses, soft recovery and losses that no memory has are noticed", "[numbers]") {
  const Evidence right = quick_evidence(id);
  CHECK(notices(id, right, "recovered_count", [](double count) { return count + 0.5; }));
  CHECK(notices(id, right, "recovered_count", [](double count) { return 1e6 * count; }));
  CHECK(notices(id, right, "recovered_weight", [](double mass) { return mass + 0.1; }));
  CHECK(notices(id, right, "recovered_weight", [](double mass) { return mass / 1e3; }));
  CHECK(notices(id, right, "soft_recovery", [](double soft) { return 1 + soft; }));
  CHECK(notices(id, right, "soft_recovery", [](double soft) { return soft / 1e5; }));
  CHECK(notices(id, right, "loss", [](double loss) { return loss / 1e3; }));
  CHECK(notices(id, right, "loss", [](double) { return std::nan(""); }));
}

TEST_CASE("with other embeddings, label noise or few facts the statement on one step of Muon is left open",
          "[numbers]") {
  for (const char* change :
       {"embedding.kind=sphere", "data.label_noise=0.1", "classes.spectrum=zipf_mandelbrot",
        "sweep.embedding.dimension, classes.count=[[32, 64], [64, 128], [128, 256]]"}) {
    CAPTURE(change);
    CHECK(judged(id, quick_evidence(id, {change, "sweep.seed={range=[1, 3]}"})).verdict() ==
          Verdict::inconclusive);
  }
}

TEST_CASE("one seed leaves Muon's exponents open", "[numbers]") {
  CHECK(judged(id, quick_evidence(id, {"sweep.seed=[1]"})).verdict() == Verdict::inconclusive);
}

TEST_CASE("a polar factor that is not exact leaves the statements on Muon open", "[numbers]") {
  for (const char* other : {"optimizer.muon.polar=newton_schulz", "optimizer.muon.smoothing=0.1"})
    CHECK(judged(id, quick_evidence(id, {other})).verdict() == Verdict::inconclusive);
}
