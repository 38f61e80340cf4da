#include "verify/check.hpp"

namespace rarefact::checks::rarefact2026 {

namespace {

/// What solving with the Hessian of square Gaussian embeddings leaves: their condition is a few hundred.
constexpr double solved = 1e-10;

/// Whether the prediction applies, which says itself of which embeddings and parameters it is. Another rule under the
/// label is not of its kind, and is to fail.
bool has_recursion(const EvidencePoint& point) {
  return point.optimizer("newton").rule != "newton" ||
         !std::isnan(point.classes("newton", "error_predicted", point.last_step()).back());
}

void judge_margins(const Evidence& evidence, CheckReport& report) {
  Comparison errors;
  Largest apart;
  for (const EvidencePoint& point : evidence[0]) {
    for (const std::int64_t step : point.result.steps) {
      const std::vector<double> error = point.classes("newton", "error", step);
      errors.add(error, point.classes("newton", "error_predicted", step));
      const auto [least, most] = std::ranges::minmax(error);
      apart.add(std::log(most / least));
    }
    apart.add(point.classes("newton", "error", point.last_step()).back() < 0.5
                  ? 0
                  : INFINITY);  // something was learned
  }
  report.headline("recursion")
      .agree("error of every class at every step against m <- m + η/p̂", errors, solved);
  report.headline("alike").ours().equals("largest ln(error/error) of two classes under newton", apart, 0,
                                         solved);
}

}  // namespace

CheckRow newton_margins() {
  return {.id = "rarefact2026/newton-margins",
          .hypotheses = {population_without_noise(), complete(), recorded_at_every_step(), equal_fan_in(),
                         needed(every("linearly independent embeddings, no damping", has_recursion, "yes",
                                      "the recursion is of others")),
                         ranged("classes that differ", probability_ratio, "p_min/p_max at most {1:.3g}",
                                [](double, double most) { return most < 0.5; })},
          .no_precise_runs = "the Hessian is solved by the engine dense, which is in doubles",
          .judge = judge_margins};
}

}  // namespace rarefact::checks::rarefact2026
