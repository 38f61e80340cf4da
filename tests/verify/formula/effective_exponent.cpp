#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "formula/effective-exponent";

}  // namespace

TEST_CASE("the steps of the rarest class over those of the most frequent one are (p_1/p_K)^q") {
  const CheckReport report = judged(id, quick_evidence(id));
  CHECK(report.verdict() == Verdict::holds);
  CHECK(report.of("exponent").size() == 4);
  for (const Finding* finding : report.of("exponent")) {
    CAPTURE(finding->id, finding->rule);
    CHECK(finding->verdict == Verdict::holds);
  }
  CHECK(report.of("exponent/G").front()->measured == Approx(1).margin(0.02));
  CHECK(report.of("exponent/polar(G)").front()->measured == Approx(0).margin(0.02));
}

TEST_CASE("a tail that is learned half as fast again, or a first update of another exponent, fails") {
  Evidence slow = quick_evidence(id), other = quick_evidence(id);
  for (EvidencePoint& point : slow.experiments[0]) {
    std::vector<double>& error = point.result.runs[0].trajectories[0].series.at("error");
    const std::vector<double> before = error;
    for (std::size_t step = 0; 2 * step < error.size(); ++step)
      error[2 * step + 1] = before[2 * (2 * step / 3) + 1];
  }
  CHECK(verdict_of(judged(id, slow), "exponent") == Verdict::fails);
  change(other, 0, "push",
         [](double push, const EvidencePoint&, std::int64_t) { return std::pow(push, 1.05); });
  CHECK(verdict_of(judged(id, other), "exponent") == Verdict::fails);
}

TEST_CASE("rules with memory, long first steps and rules of one exponent decide nothing about exponents") {
  const std::string axis = "sweep.optimizer.rule.direction, optimizer.rule.step_size, run.steps=";
  CHECK(judged(id, quick_evidence(
                       id, {axis + "[[\"decay(G, 0.5)\", 1.0, 6000], [\"power(G, -0.5)\", 0.01, 400]]"}))
            .verdict() == Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {axis + "[[\"G\", 4.0, 6000], [\"power(G, -0.5)\", 0.01, 400]]"}))
            .verdict() >= Verdict::inconclusive);
  CHECK(judged(id, quick_evidence(id, {axis + "[[\"G\", 1.5, 6000], [\"G\", 1.4, 6000]]"})).verdict() ==
        Verdict::inconclusive);
}
