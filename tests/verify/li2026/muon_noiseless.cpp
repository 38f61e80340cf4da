#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/muon-noiseless";

double time_of(const EvidencePoint& point, std::int64_t step) {
  return point.optimizer("muon").step_size * static_cast<double>(step);
}

}  // namespace

TEST_CASE("Muon without noise learns every class as K e^-t, with the first step's rates at the next order") {
  require_sharp(id);
}

TEST_CASE("another rule under the label of noiseless Muon fails") {
  require_failure(id, "muon", GENERATE("gd", "ngd", "tra_signgd"), "rate");
}

TEST_CASE("a wrong rate or a wrong constant of the noiseless loss fails") {
  Evidence rate = quick_evidence(id), constant = quick_evidence(id);
  change(rate, 0, "loss", [](double loss, const EvidencePoint& point, std::int64_t step) {
    return loss * std::exp(-0.01 * time_of(point, step));
  });
  CHECK(verdict_of(judged(id, rate), "rate") == Verdict::fails);
  change(constant, 0, "loss",
         [](double loss, const EvidencePoint&, std::int64_t) { return loss * (1 + 1e-8); });
  const CheckReport report = judged(id, constant);
  CHECK(verdict_of(report, "constant") == Verdict::fails);
  CHECK(verdict_of(report, "rate") == Verdict::sharp);
}

TEST_CASE("a class error beyond the bound of its margin, or no number, fails") {
  Evidence evidence = quick_evidence(id);
  const double factor = GENERATE(1 + 1e-8, std::nan(""));
  EvidencePoint& point = evidence.experiments[0].back();
  std::vector<double>& errors = point.result.runs[0].trajectories[0].series.at("error");
  errors[errors.size() / 2] *= factor;
  CHECK(verdict_of(judged(id, evidence), "error") == Verdict::fails);
}

TEST_CASE("a spread of rates of another order in C, or with another constant, fails") {
  Evidence order = quick_evidence(id), constant = quick_evidence(id);
  // The logarithm of error/law is the deviation; a factor before it is one before the spread.
  const auto widened = [](double exponent, double factor) {
    return [=](double error, const EvidencePoint& point, std::int64_t step) {
      const double size = point.run().class_count.front();
      const double law =
          (point.class_total() - 1) / (point.class_total() - 1 + std::exp(time_of(point, step)));
      return law * std::pow(error / law, factor * std::pow(size, exponent));
    };
  };
  change(order, 0, "error", widened(0.05, 1));
  CHECK(verdict_of(judged(id, order), "spread-order") == Verdict::fails);
  change(constant, 0, "error", widened(0, 1.05));
  CHECK(verdict_of(judged(id, constant), "spread-constant") == Verdict::fails);
  CHECK(verdict_of(judged(id, constant), "spread-order") == Verdict::sharp);
}

TEST_CASE("with label noise, correlated embeddings or too few steps the noiseless statement is left open") {
  const std::string rows =
      "sweep.classes.groups, classes.group_size, run.steps, run.precision, optimizer.muon.step_size=";
  CHECK(judged(id, quick_evidence(id, {"data.label_noise=0.1"})).verdict() == Verdict::inconclusive);
  CHECK(
      judged(id, quick_evidence(id, {"embedding.kind=\"equicorrelated\"", "embedding.rho=0.2"})).verdict() ==
      Verdict::inconclusive);
  CHECK(
      judged(id, quick_evidence(id, {rows + "[[2, 1e3, 60, 16, 0.5], [4, 1e13, 60, 16, 0.5]]"})).verdict() ==
      Verdict::inconclusive);
}
