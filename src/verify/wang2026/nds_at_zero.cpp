#include "theory/sharpness.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::wang2026 {

namespace {

constexpr double rounding = 1e-12;

void judge_first_sharpness(const Evidence& evidence, CheckReport& report) {
  const std::pair<const char*, double FirstSharpness::*> rules[] = {
      {"gd", &FirstSharpness::gd}, {"muon", &FirstSharpness::muon}, {"signgd", &FirstSharpness::sign}};
  for (const auto& [name, member] : rules) {
    const std::string rule = name;
    std::vector<double> measured, exact, effective, exact_effective;
    for (const EvidencePoint* point : evidence.all()) {
      measured.push_back(point->at(rule, "nds", 0));
      exact.push_back(first_sharpness(point->run().class_count, point->run().class_probability).*member);
      effective.push_back(point->at(rule, "nds_effective", 0));
      exact_effective.push_back(1 / std::pow(point->class_total(), 2));
    }
    report.add("nds", rule,
               judge::agree("nds of the first update against its closed form", measured, exact, rounding),
               true);
    if (rule == "signgd")
      report.add("effective", rule,
                 judge::agree("nds_effective of the first update against 1/K²", effective, exact_effective,
                              rounding));
  }
}

}  // namespace

CheckRow nds_at_zero() {
  return {.id = "wang2026/nds-at-zero",
          .hypotheses = {identity(), population_without_noise(), equal_fan_in()},
          .further = {"wang2026/nds-at-zero-groups"},
          .judge = judge_first_sharpness};
}

}  // namespace rarefact::checks::wang2026
