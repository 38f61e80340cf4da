#include <catch2/catch.hpp>
#include <cmath>

#include "theory/scaling_laws.hpp"
#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/muon-noisy";
const std::string rows = "sweep.data.label_noise, classes.group_size, run.steps, optimizer.muon.step_size=";

}  // namespace

TEST_CASE("Muon with noise climbs to m*, then alternates around it with the excess loss of the closed form") {
  const CheckReport report = require_sharp(id);
  CHECK(verdict_of(report, "crossing") == Verdict::sharp);
}

TEST_CASE("another rule under the label of noisy Muon fails") {
  require_failure(id, "muon", GENERATE("gd", "ngd", "tra_signgd"), "crossing");
}

TEST_CASE("a wrong exponent of the envelope in η or a wrong constant fails") {
  Evidence exponent = quick_evidence(id), constant = quick_evidence(id), twofold = quick_evidence(id);
  change(exponent, 0, "excess_loss", [](double excess, const EvidencePoint& point, std::int64_t) {
    return excess * std::pow(point.optimizer("muon").step_size, -0.1);
  });
  CHECK(verdict_of(judged(id, exponent), "exponent") == Verdict::fails);
  const auto times = [](double factor) {
    return [factor](double excess, const EvidencePoint&, std::int64_t) { return factor * excess; };
  };
  change(constant, 0, "excess_loss", times(1.02));
  CHECK(verdict_of(judged(id, constant), "exponent") == Verdict::sharp);
  CHECK(verdict_of(judged(id, constant), "closed-form") == Verdict::fails);
  CHECK(verdict_of(judged(id, constant), "leading-order") == Verdict::fails);
  CHECK(verdict_of(judged(id, constant), "deviation") == Verdict::fails);
  CHECK(verdict_of(judged(id, constant), "bound") == Verdict::holds);
  change(twofold, 0, "excess_loss", times(2));
  CHECK(verdict_of(judged(id, twofold), "bound") == Verdict::fails);
}

TEST_CASE("a class that crosses late, or that does not alternate by η, fails") {
  Evidence late = quick_evidence(id), resting = quick_evidence(id), wide = quick_evidence(id);
  EvidencePoint& point = late.experiments[0].front();
  const auto steps = static_cast<std::ptrdiff_t>(point.result.steps.size());
  // The first class two steps behind: it crosses two steps after the others.
  const auto errors = [](Evidence& evidence) -> std::vector<double>& {
    return evidence.experiments[0].front().result.runs[0].trajectories[0].series.at("error");
  };
  const std::size_t width = point.run().class_count.size();
  for (std::ptrdiff_t i = steps - 1; i >= 2; --i) {
    const auto row = static_cast<std::size_t>(i) * width;
    errors(late)[row] = errors(late)[row - 2 * width];
  }
  CHECK(verdict_of(judged(id, late), "crossing") == Verdict::fails);
  std::vector<double>& same = errors(resting);
  for (std::size_t i = same.size() - 3 * width; i < same.size(); ++i) same[i] = same[i - width];
  CHECK(verdict_of(judged(id, resting), "stride") == Verdict::fails);
  std::vector<double>& off = errors(wide);
  off.back() *= 1 + 1e-6;
  CHECK(verdict_of(judged(id, wide), "stride") == Verdict::fails);
}

TEST_CASE("a cycle that sits on the minimum fools single steps, is left open and does not fail") {
  // K = 2^16, α = 0.2, η = 2 ln K/64 = m*/36.00001, and two neighbours away from whole numbers.
  const double on_minimum = 0.34657359027997264;
  const Evidence evidence = quick_evidence(
      id, {"classes.groups=16", rows + "[[0.2, 4096, 60, 0.34657359027997264], [0.2, 4096, 60, "
                                       "0.35], [0.2, 4096, 60, 0.30]]"});
  const EvidencePoint& point = evidence[0].front();
  CHECK(cycle_offset<double>(on_minimum, point.class_total(), 0.2) < 1e-4);
  // The naive measurement, one step: a millionth of the other one, whose excess loss is that of η.
  const double last = point.at("muon", "excess_loss", 60), before = point.at("muon", "excess_loss", 59);
  CHECK(std::min(last, before) < 1e-6 * std::max(last, before));
  const CycleBound<double> bound = cycle_excess_bound<double>(on_minimum, point.class_total(), 0.2);
  CHECK(std::max(last, before) == Approx(bound.leading).epsilon(0.2));
  const CheckReport report = judged(id, evidence);
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(verdict_of(report, "bound") == Verdict::holds);
  CHECK(verdict_of(report, "crossing") <= Verdict::holds);
}

TEST_CASE(
    "without label noise, with too few steps, recorded steps or step sizes the noisy statement is left "
    "open") {
  CHECK(judged(id, quick_evidence(id, {rows + "[[0, 1e9, 60, 1], [0.1, 1e9, 60, 0.9]]"})).verdict() ==
        Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {rows + "[[0.1, 2.5e14, 52, 0.2886915597]]"})).verdict() ==
        Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {rows + "[[0.1, 2.5e14, 139, 0.2886915597], [0.1, 2.5e14, 412, "
                                              "0.09178263828]]"}))
            .verdict() == Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {"run.record=\"log\""})).verdict() == Verdict::inconclusive);
}
