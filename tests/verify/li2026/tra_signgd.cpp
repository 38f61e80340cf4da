#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/tra-signgd";

/// f(error, point, step) in place of the errors of one optimizer (0: tra_signgd, 1: muon).
void change_errors(Evidence& evidence, std::size_t optimizer,
                   const std::function<double(double, const EvidencePoint&, std::int64_t)>& f) {
  for (EvidencePoint& point : evidence.experiments[0]) {
    std::vector<double>& errors = point.result.runs[0].trajectories[optimizer].series.at("error");
    const std::size_t width = errors.size() / point.result.steps.size();
    for (std::size_t i = 0; i < errors.size(); ++i)
      errors[i] = f(errors[i], point, point.result.steps[i / width]);
  }
}

}  // namespace

TEST_CASE("the sign in the task basis matches Muon with twice the step, to the first step's order 1/C") {
  require_sharp(id);
}

TEST_CASE("another rule or step size on either side of the comparison fails") {
  const std::string wrong = GENERATE("optimizer.muon.rule=\"gd\"", "optimizer.muon.rule=\"tra_signgd\"",
                                     "optimizer.tra_signgd.rule=\"gd\"", "optimizer.muon.step_size=0.5",
                                     "optimizer.tra_signgd.step_size=1.0");
  CAPTURE(wrong);
  CHECK(judged(id, quick_evidence(id, {wrong})).verdict() == Verdict::fails);
}

TEST_CASE("an error of the oracle that is not that of the margin 2ηt fails") {
  Evidence evidence = quick_evidence(id);
  const double factor = GENERATE(1 + 1e-10, std::nan(""));
  change_errors(evidence, 0, [factor](double error, const EvidencePoint&, std::int64_t step) {
    return step == 7 ? error * factor : error;
  });
  CHECK(verdict_of(judged(id, evidence), "oracle") == Verdict::fails);
}

TEST_CASE("a difference of another order in C, or with another constant, fails") {
  const auto apart = [](double exponent, double factor) {
    return [=](double error, const EvidencePoint& point, std::int64_t step) {
      const double sign = point.at("tra_signgd", "error", step);
      return sign * (1 + (error / sign - 1) * factor * std::pow(point.run().class_count.front(), exponent));
    };
  };
  Evidence order = quick_evidence(id), constant = quick_evidence(id), far = quick_evidence(id);
  change_errors(order, 1, apart(0.02, 1));
  CHECK(verdict_of(judged(id, order), "order") == Verdict::fails);
  change_errors(constant, 1, apart(0, 1.05));
  CHECK(verdict_of(judged(id, constant), "order") == Verdict::sharp);
  CHECK(verdict_of(judged(id, constant), "constant") == Verdict::fails);
  change_errors(far, 1, apart(0, 100));
  CHECK(verdict_of(judged(id, far), "climb") == Verdict::fails);
  CHECK(verdict_of(judged(id, far), "cycle") == Verdict::fails);
}

TEST_CASE("with correlated embeddings or steps left out the comparison with the oracle is left open") {
  CHECK(
      judged(id, quick_evidence(id, {"embedding.kind=\"equicorrelated\"", "embedding.rho=0.2"})).verdict() ==
      Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {"run.record=\"log\""})).verdict() == Verdict::inconclusive);
}
