#include "verify/squares.hpp"

namespace rarefact::checks::vasudeva2025 {

namespace {

void judge_closed_forms(const Evidence& evidence, CheckReport& report) {
  for (const std::string rule : {"gd", "muon", "signgd", "newton"}) {
    std::vector<double> measured, exact;
    for (const EvidencePoint& point : evidence[0]) {
      for (const std::int64_t step : point.result.steps) {
        for (const auto& [name, all] :
             {std::pair{"coefficient", &measured}, {"coefficient_predicted", &exact}}) {
          const std::vector<double> some = point.classes(rule, name, step);
          all->insert(all->end(), some.begin(), some.end());
        }
      }
    }
    report.add("coefficient", rule,
               judge::agree("coefficient of every class at every step against its closed form", measured,
                            exact, 1e-12),
               true);
  }
  std::vector<double> muon, sign;
  Largest beyond;
  for (const EvidencePoint& point : evidence[0]) {
    for (const auto& [rule, all] : {std::pair{"muon", &muon}, {"signgd", &sign}}) {
      const std::vector<double> loss = point.series(rule, "excess_loss");
      all->insert(all->end(), loss.begin(), loss.end());
    }
    const SquareModes modes = modes_of(point);
    double all = 0;
    for (std::size_t g = 0; g < modes.curvature.size(); ++g)
      all += point.run().class_count[g] * modes.curvature[g];
    const double step = point.optimizer("muon").step_size;
    beyond.add(point.last("muon", "excess_loss") / (step * step * all / 2));
  }
  report.add("same", judge::agree("excess loss of signgd against that of muon", sign, muon, 1e-12));
  report.add("cycle", judge::at_most("largest excess loss of muon at the end over ½ η² Σh", beyond, 1))
      .published = "";
}

}  // namespace

CheckRow closed_forms() {
  return {.id = "vasudeva2025/closed-forms",
          .hypotheses = {least_squares(false), hypothesis::identity(), hypothesis::population_without_noise(),
                         hypothesis::complete()},
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_closed_forms};
}

}  // namespace rarefact::checks::vasudeva2025
