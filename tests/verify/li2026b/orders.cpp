// window-is-batch, order, coverage and training.

#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

TEST_CASE("momentum before the polar factor aligns as one batch of B(2T-1)") {
  const CheckReport report = require_sharp("li2026b/window-is-batch");
  for (const char* id : {"momentum", "batch"}) {
    CHECK(report.of(std::string(id) + "/B(2T-1) = 4864").front()->measured == Approx(0.9932).margin(5e-4));
    CHECK(report.of(std::string(id) + "/B(2T-1) = 9984").front()->measured == Approx(0.9967).margin(3e-4));
  }
}

TEST_CASE("an average of polar factors aligns as its terms do") {
  const CheckReport report = require_sharp("li2026b/order");
  for (const Finding* after : report.of("after")) CHECK(after->measured == Approx(0.718).margin(0.01));
  Evidence off = quick_evidence("li2026b/order");
  for (EvidencePoint& point : off.experiments[0])
    point.result.runs[0].trajectories[1].series.at("alignment")[20] += 1e-8;
  CHECK(verdict_of(judged("li2026b/order", off), "linear") == Verdict::fails);
}

TEST_CASE("a step pushes what its batch covers, momentum before what all batches cover") {
  const std::string id = "li2026b/coverage";
  require_sharp(id);
  // One class of 128 pushed as if it had a third more draws, one pushed before it was drawn, and a tail at scale.
  Evidence law = quick_evidence(id), before = law, scale = law;
  const auto scaled = [](Evidence& evidence, std::size_t experiment, std::size_t optimizer, std::size_t row,
                         double factor, double more) {
    for (EvidencePoint& point : evidence.experiments[experiment]) {
      std::vector<double>& push = point.result.runs[0].trajectories[optimizer].series.at("push");
      for (std::size_t i = row; i < push.size(); i += point.run().class_count.size())
        push[i] = factor * push[i] + more;
    }
  };
  scaled(law, 0, 0, 5, 1.33, 0);
  CHECK(verdict_of(judged(id, law), "law") == Verdict::fails);
  scaled(before, 1, 1, 127, 1, 0.05);
  CHECK(verdict_of(judged(id, before), "before") == Verdict::fails);
  scaled(scale, 2, 1, 1, 1.1, 0);
  CHECK(verdict_of(judged(id, scale), "scale") == Verdict::fails);
}

TEST_CASE("momentum before the polar factor trains better than after it") {
  const std::string id = "li2026b/training";
  CHECK(judged(id, quick_evidence(id)).verdict() == Verdict::holds);
  const auto mean = [&](const std::string& order, double noise) {
    double sum = 0;
    for (const EvidencePoint* point : where(quick_evidence(id)[0], "data.label_noise", noise))
      sum += point->last(order, "excess_loss") / 4;
    return sum;
  };
  CHECK(mean("before", 0) == Approx(0.0475).margin(0.005));
  CHECK(mean("polar-only", 0) == Approx(1.54).margin(0.02));
  CHECK(mean("after", 0) == Approx(1.61).margin(0.02));
  // Momentum the other way round, at one K = 1e12 too.
  for (const std::size_t experiment : {0, 1}) {
    Evidence swapped = quick_evidence(id);
    for (EvidencePoint& point : swapped.experiments.at(experiment)) {
      auto& all = point.result.runs[0].trajectories;
      std::swap(all[0].series.at("excess_loss"), all[2].series.at("excess_loss"));
    }
    CHECK(verdict_of(judged(id, swapped), "after") == Verdict::fails);
  }
}
