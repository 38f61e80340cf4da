#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/preconditioner";
const char* const deviation = "update_identity_deviation";

}  // namespace

TEST_CASE("Muon's update is the identity to 1/C along the run, with the first step's constant") {
  const CheckReport report = require_sharp(id);
  // -I past the optimum is seen, not only +I.
  CHECK(verdict_of(report, "past-optimum") == Verdict::holds);
}

TEST_CASE("another rule under the label of the preconditioner fails") {
  require_failure(id, "muon", GENERATE("gd", "ngd", "tra_signgd"), "bound");
}

TEST_CASE("one update beyond the bound, before or past the optimum, or no number, fails") {
  const double value = GENERATE(1.0, std::nan(""));
  Evidence before = quick_evidence(id), past = quick_evidence(id);
  const auto at_step = [value](double noise, std::int64_t where) {
    return [=](double old, const EvidencePoint& point, std::int64_t step) {
      return point.experiment.label_noise == noise && step == where ? value : old;
    };
  };
  change(before, 0, deviation, at_step(0, 20));
  CHECK(verdict_of(judged(id, before), "bound") == Verdict::fails);
  change(past, 0, deviation, at_step(0.1, 40));
  CHECK(verdict_of(judged(id, past), "past-optimum") == Verdict::fails);
}

TEST_CASE("an update that keeps its sign past the optimum fails") {
  Evidence evidence = quick_evidence(id);
  change(evidence, 0, deviation,
         [](double old, const EvidencePoint&, std::int64_t) { return old > 1 ? 2 - old : old; });
  CHECK(verdict_of(judged(id, evidence), "past-optimum") == Verdict::fails);
}

TEST_CASE("a deviation of another order in C, or with another constant, fails") {
  Evidence order = quick_evidence(id), constant = quick_evidence(id), first = quick_evidence(id);
  change(order, 0, deviation, [](double old, const EvidencePoint& point, std::int64_t) {
    return old * std::pow(point.run().class_count.front(), 0.01);
  });
  CHECK(verdict_of(judged(id, order), "order") == Verdict::fails);
  change(constant, 0, deviation, [](double old, const EvidencePoint&, std::int64_t) { return 1.05 * old; });
  CHECK(verdict_of(judged(id, constant), "constant") == Verdict::fails);
  CHECK(verdict_of(judged(id, constant), "order") == Verdict::sharp);
  change(first, 0, deviation, [](double old, const EvidencePoint&, std::int64_t step) {
    return step == 0 ? old * (1 + 1e-9) : old;
  });
  CHECK(verdict_of(judged(id, first), "first-update") == Verdict::fails);
}

TEST_CASE("the deviation falls with the number of groups, where the published bound grows") {
  const std::vector<std::string> three = {"sweep.classes.groups=[4, 8, 16]", "sweep.data.label_noise=[0]"};
  CHECK(verdict_of(judged(id, quick_evidence(id, three)), "order-in-groups") == Verdict::sharp);
  std::vector<std::string> wrong = three;
  wrong.push_back("optimizer.muon.rule=\"gd\"");
  CHECK(verdict_of(judged(id, quick_evidence(id, wrong)), "order-in-groups") == Verdict::fails);
}

TEST_CASE("with correlated embeddings the statement about the preconditioner is left open") {
  CHECK(
      judged(id, quick_evidence(id, {"embedding.kind=\"equicorrelated\"", "embedding.rho=0.2"})).verdict() ==
      Verdict::inconclusive);
}
