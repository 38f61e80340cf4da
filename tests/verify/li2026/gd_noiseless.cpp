#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/gd-noiseless";

}  // namespace

TEST_CASE("gradient descent without noise learns as 1/(p_l t), to the derived approach") {
  require_sharp(id);
}

TEST_CASE("another rule under the label of noiseless gradient descent fails") {
  require_failure(id, "gd", GENERATE("ngd", "muon", "tra_signgd"));
}

TEST_CASE("a wrong exponent of the noiseless loss in t, in K or in p_l fails, as does a wrong constant") {
  Evidence in_time = quick_evidence(id), in_classes = quick_evidence(id), in_probability = quick_evidence(id),
           constant = quick_evidence(id);
  change(in_time, 1, "loss", [](double loss, const EvidencePoint&, std::int64_t step) {
    return loss * std::pow(static_cast<double>(step) + 1, 0.1);
  });
  CHECK(verdict_of(judged(id, in_time), "exponent-in-t") == Verdict::fails);
  change(in_classes, 1, "loss", [](double loss, const EvidencePoint& point, std::int64_t) {
    return loss * std::pow(point.class_total(), 0.005);
  });
  CHECK(verdict_of(judged(id, in_classes), "exponent-in-k") == Verdict::fails);
  change(in_probability, 1, "class_loss",
         [](double loss, const EvidencePoint&, std::int64_t) { return std::pow(loss, 1.1); });
  CHECK(verdict_of(judged(id, in_probability), "exponent-in-p") == Verdict::fails);
  change(constant, 1, "loss", [](double loss, const EvidencePoint&, std::int64_t) { return loss * 1.05; });
  const CheckReport report = judged(id, constant);
  CHECK(verdict_of(report, "constant") == Verdict::fails);
  for (const char* exponent : {"exponent-in-t", "exponent-in-k", "exponent-in-p"})
    CHECK(verdict_of(report, exponent) <= Verdict::holds);
}

TEST_CASE("an approach of class losses to their limit other than the derived one fails") {
  Evidence evidence = quick_evidence(id);
  // A hundredth of a percent of L_l is a percent of L_l p_l t - 1 and all of the distance to the flow.
  change(evidence, 0, "class_loss",
         [](double loss, const EvidencePoint&, std::int64_t) { return loss * 1.001; });
  const CheckReport report = judged(id, evidence);
  CHECK(verdict_of(report, "approach") == Verdict::fails);
  CHECK(verdict_of(report, "flow") == Verdict::fails);
  CHECK(verdict_of(report, "recursion") == Verdict::fails);
}

TEST_CASE("with label noise, or before p_l t is above ln K, the noiseless statement is left open") {
  CHECK(judged(id, quick_evidence(id, {"run.steps=5000", "data.label_noise=0.1"})).verdict() ==
        Verdict::inconclusive);
  const std::string few = GENERATE("run.steps=500", "run.steps=1", "classes.groups=1");
  CAPTURE(few);
  CHECK(judged(id, quick_evidence(id, {few})).verdict() == Verdict::inconclusive);
}

TEST_CASE("after 1e15 steps an exponent that is off by a millionth fails") {
  Evidence evidence = gather_evidence(check_row(id), {.threads = 2});
  CHECK(judged(id, evidence).verdict() == Verdict::sharp);
  change(evidence, 1, "loss", [](double loss, const EvidencePoint&, std::int64_t step) {
    return loss * std::pow(static_cast<double>(step) + 1, 1e-6);
  });
  CHECK(verdict_of(judged(id, evidence), "exponent-in-t") == Verdict::fails);
}
