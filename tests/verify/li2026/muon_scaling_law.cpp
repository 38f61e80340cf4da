#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "li2026/muon-scaling-law";
const std::string rows = "sweep.classes.group_size, run.steps, optimizer.muon.step_size=";

}  // namespace

TEST_CASE("Muon's excess loss falls as T^-2 whatever the imbalance, with the constant of the cycle") {
  const CheckReport report = require_sharp(id);
  CHECK(verdict_of(report, "same-exponent") == Verdict::sharp);
}

TEST_CASE("another rule under the label of Muon's scaling law fails") {
  require_failure(id, "muon", GENERATE("gd", "ngd", "tra_signgd"));
}

TEST_CASE("a wrong exponent in T, for all s or for one, and a wrong constant fail") {
  Evidence all = quick_evidence(id), one = quick_evidence(id), constant = quick_evidence(id),
           large = quick_evidence(id);
  const auto slower = [](double least_exponent) {
    return [=](double excess, const EvidencePoint& point, std::int64_t) {
      const bool chosen = point.parameter("classes.exponent") >= least_exponent;
      return chosen ? excess * std::pow(static_cast<double>(point.result.steps.back()), 0.1) : excess;
    };
  };
  change(all, 0, "excess_loss", slower(0));
  CHECK(verdict_of(judged(id, all), "exponent") == Verdict::fails);
  change(one, 0, "excess_loss", slower(2.5));
  CHECK(verdict_of(judged(id, one), "same-exponent") == Verdict::fails);
  CHECK(verdict_of(judged(id, one), "exponent/s = 1.5") == Verdict::sharp);
  const auto times = [](double factor) {
    return [factor](double excess, const EvidencePoint&, std::int64_t) { return factor * excess; };
  };
  change(constant, 0, "excess_loss", times(1.02));
  CHECK(verdict_of(judged(id, constant), "exponent") == Verdict::sharp);
  CHECK(verdict_of(judged(id, constant), "closed-form") == Verdict::fails);
  CHECK(verdict_of(judged(id, constant), "leading-order") == Verdict::fails);
  change(large, 0, "excess_loss", times(2));
  CHECK(verdict_of(judged(id, large), "bound") == Verdict::fails);
}

TEST_CASE(
    "a constant c below m*/ln K never reaches the cycle: the scaling law is left open, never confirmed") {
  // K = 1e15: m*/ln K = 1.040. T η = c ln K with c = 1, a hair below, for all T, and for the longest alone.
  const double c = 1.0, log_classes = std::log(1e15);
  const auto row = [&](double constant, int steps) {
    return "[2.5e14, " + std::to_string(steps) + ", " + std::to_string(constant * log_classes / steps) + "]";
  };
  const CheckReport none = judged(
      id, quick_evidence(id, {rows + "[" + row(c, 257) + "," + row(c, 513) + "," + row(c, 1025) + "]"}));
  CHECK(none.verdict() == Verdict::inconclusive);
  CHECK(none.findings.empty());
  const std::string reached =
      "[2.5e14, 257, 0.18638169], [2.5e14, 513, 0.09337250359], [2.5e14, 1025, "
      "0.04673179936], ";
  const CheckReport one = judged(id, quick_evidence(id, {rows + "[" + reached + row(c, 2049) + "]"}));
  CHECK(one.verdict() == Verdict::inconclusive);
  CHECK(verdict_of(one, "exponent") == Verdict::sharp);
}

TEST_CASE(
    "without noise, with a cycle on the minimum, too few T or steps left out the scaling law is left open") {
  CHECK(judged(id, quick_evidence(id, {"data.label_noise=0"})).verdict() == Verdict::inconclusive);
  // m* = 35.925069... at K = 1e15: η = m*/192.
  CHECK(judged(id, quick_evidence(id, {rows + "[[2.5e14, 257, 0.187109689], [2.5e14, 513, 0.09337250359], "
                                              "[2.5e14, 1025, 0.04673179936]]"}))
            .verdict() == Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {rows + "[[2.5e14, 257, 0.18638169], [2.5e14, 513, 0.09337250359]]"}))
            .verdict() == Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {"run.record=\"log\""})).verdict() == Verdict::inconclusive);
}
