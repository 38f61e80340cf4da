#include <catch2/catch.hpp>
#include <cmath>

#include "model/margin.hpp"
#include "verify/judge.hpp"
#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/gd-scaling-law";

}  // namespace

TEST_CASE("gradient descent on a noisy power law loses T^-(1-1/s) with the constant of its integral form") {
  require_sharp(id);
}

TEST_CASE("another rule under the label of gradient descent fails the scaling law") {
  const std::string rule = GENERATE("ngd", "tra_signgd");
  CAPTURE(rule);
  CHECK(judged(id, quick_evidence_with(id, 1, {"optimizer.gd.rule=\"" + rule + "\""})).verdict() ==
        Verdict::fails);
}

TEST_CASE("a wrong exponent of the noisy loss in T or in ln K fails, as does a wrong constant") {
  Evidence in_time = quick_evidence(id), in_classes = quick_evidence(id), constant = quick_evidence(id);
  change(in_time, 0, "excess_loss", [](double loss, const EvidencePoint&, std::int64_t step) {
    return loss * std::pow(static_cast<double>(step) + 1, -0.02);
  });
  CHECK(verdict_of(judged(id, in_time), "exponent-in-t/s = 2, M = 1e+06") == Verdict::fails);
  change(in_classes, 2, "excess_loss", [](double loss, const EvidencePoint& point, std::int64_t) {
    return loss / std::sqrt(std::log(point.class_total()));
  });
  CHECK(verdict_of(judged(id, in_classes), "exponent-in-log-k") == Verdict::fails);
  change(constant, 1, "excess_loss",
         [](double loss, const EvidencePoint&, std::int64_t) { return 1.05 * loss; });
  const CheckReport report = judged(id, constant);
  CHECK(verdict_of(report, "integral-form/s = 2, M = 2000") == Verdict::fails);
  CHECK(verdict_of(report, "exponent-in-t") == Verdict::sharp);
}

TEST_CASE(
    "a ripple that a fit of the noisy loss averages away fails, and where single groups show nothing is fitted") {
  Evidence rippled = quick_evidence(id);
  change(rippled, 0, "excess_loss", [](double loss, const EvidencePoint&, std::int64_t step) {
    return loss * (1 + 0.004 * std::sin(20 * std::log(static_cast<double>(step) + 1)));
  });
  const CheckReport report = judged(id, rippled);
  CHECK(verdict_of(report, "exponent-in-t/s = 2, M = 1e+06") == Verdict::sharp);
  CHECK(verdict_of(report, "local-slopes/s = 2, M = 1e+06") == Verdict::fails);
  // At K = 1e15 the bends of the first classes are apart from each other: the local slope swings by a tenth.
  const Evidence apart = quick_evidence_with(
      id, 0,
      {"sweep.classes.exponent, classes.count, run.steps, optimizer.gd.step_size=[[2, 1e15, 4500, "
       "1.644934066848226]]"});
  CHECK(judged(id, apart).of("exponent-in-t/s = 2, M = 1e+15").empty());
  Points early;
  for (const std::int64_t step : apart[0][0].result.steps) {
    if (step >= 400 && step <= 3000)
      early[static_cast<double>(step)] = apart[0][0].at("gd", "excess_loss", step);
  }
  const auto [least, most] = std::ranges::minmax(judge::fit_of(early).local_slopes);
  CHECK(most - least > 0.1);
}

TEST_CASE("a class below its published lower bound fails") {
  Evidence evidence = quick_evidence(id);
  const EvidencePoint& point = evidence[1].front();
  const double floor = irreducible_loss(point.class_total(), point.experiment.label_noise);
  change(evidence, 1, "class_loss",
         [floor](double loss, const EvidencePoint&, std::int64_t) { return floor + 0.99 * (loss - floor); });
  CHECK(verdict_of(judged(id, evidence), "class-bound") == Verdict::fails);
}

TEST_CASE("outside of 1 ≪ T ≪ M^s another slope is measured: a fit there would fail, so none is made") {
  const Evidence evidence = quick_evidence_with(id, 1, {"classes.groups=30", "run.steps=10000"});
  const CheckReport report = judged(id, evidence);
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(report.of("exponent-in-t/s = 2, M = 30").empty());
  Points excess, inverse;
  const EvidencePoint& point = evidence[1].front();
  for (const std::int64_t step : point.result.steps) {
    if (step < 154) continue;
    const auto x = static_cast<double>(step);
    excess[x] = point.at("gd", "excess_loss", step);
    inverse[x] = std::pow(x, -0.5) / excess[x];
  }
  CHECK(judge::exponent("", excess, {.published = -0.5}).verdict == Verdict::fails);
  CHECK(judge::exponent("", excess, {.kind = judge::ExponentClaim::Kind::at_least, .published = -0.5})
            .verdict == Verdict::fails);
  CHECK(judge::bounded("", inverse).verdict == Verdict::fails);
}

TEST_CASE("without label noise, and with too few steps, the scaling law is left open") {
  CHECK(judged(id, quick_evidence(id, {"run.steps=100", "data.label_noise=0"})).verdict() ==
        Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {"run.steps=100"})).verdict() == Verdict::inconclusive);
}
