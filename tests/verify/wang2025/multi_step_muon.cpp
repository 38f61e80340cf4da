#include <catch2/catch.hpp>
#include <cmath>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string id = "wang2025/multi-step-muon";

}  // namespace

TEST_CASE("every step of Muon has the constants of the first, before learning and beyond it") {
  const Evidence evidence = quick_evidence(id);
  CHECK(judged(id, evidence).verdict() == Verdict::sharp);
  const EvidencePoint& learned = *where(evidence[0], "optimizer.muon.step_size", 5).front();
  CHECK(learned.last("muon", "loss") < 1e-30);
  const EvidencePoint& start = *where(evidence[0], "optimizer.muon.step_size", 0.5).back();
  CHECK(start.last("muon", "loss") > 20);
}

TEST_CASE("another rule under the label of many-step Muon fails") {
  require_failure(id, "muon", GENERATE("gd", "signgd"));
}

TEST_CASE("a wrong order or constant at one step of many fails") {
  const std::string variable = GENERATE("weight_identity_deviation", "rho_deficit");
  const std::string quantity = variable[0] == 'w' ? "deviation" : "deficit";
  CAPTURE(variable);
  Evidence order = quick_evidence(id), constant = order;
  change(order, 0, variable, [](double value, const EvidencePoint& point, std::int64_t step) {
    return value * (step == 10 ? std::pow(point.class_total(), 0.05) : 1);
  });
  CHECK(verdict_of(judged(id, order), quantity + "/η = 0.5") == Verdict::fails);
  change(constant, 0, variable, [](double value, const EvidencePoint&, std::int64_t step) {
    return value * (step == 10 ? 1 + 1e-9 : 1);
  });
  const CheckReport report = judged(id, constant);
  CHECK(verdict_of(report, quantity + "-limits/η = 0.5") == Verdict::fails);
  CHECK(verdict_of(report, quantity + "/η = 0.5") == Verdict::holds);
}

TEST_CASE("logarithmic growth at many steps of Muon is seen") {
  const std::string variable = GENERATE("weight_identity_deviation", "rho_deficit");
  const bool quick = GENERATE(true, false);
  CAPTURE(variable, quick);
  Evidence evidence = gather_evidence(check_row(id), {.quick = quick, .threads = 2});
  change(evidence, 0, variable, [](double value, const EvidencePoint& point, std::int64_t) {
    return value * std::log(point.class_total());
  });
  const std::string quantity = variable[0] == 'w' ? "deviation" : "deficit";
  CHECK(verdict_of(judged(id, evidence), quantity + "/η = 5") == Verdict::fails);
}

TEST_CASE("with label noise the statement on many steps of Muon is left open") {
  CHECK(judged(id, quick_evidence(id, {"data.label_noise=0.1"})).verdict() == Verdict::inconclusive);
}
