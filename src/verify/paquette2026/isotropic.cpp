#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

void judge_isotropic(const Evidence& evidence, CheckReport& report) {
  const BilinearProblem problem = problem_of(evidence[0].front());
  const double d = static_cast<double>(problem.inputs());
  const auto judge_one = [&](const std::string& rule, Rates rates, const char* of, double unit) {
    const auto in_units = [&](const Eigen::ArrayXd& all) { return all.mean() / unit; };
    report.add(
        "drift", of,
        judge::seed_mean_equals(
            "drift of all modes",
            collect(evidence[0], [&](const auto& point) { return in_units(measured_rates(point, rule)); }),
            in_units(predicted_rates(evidence[0].front(), rates)), 0.08, 0.05),
        true);
  };
  judge_one("muon", sign_svd_rates, "muon, in units of (B/d)^½", std::sqrt(problem.batch / d));
  judge_one("signgd", sign_sgd_rates, "signgd, in units of B^½", std::sqrt(problem.batch));
}

}  // namespace

CheckRow isotropic() {
  return {.id = "paquette2026/isotropic",
          .hypotheses = bilinear_hypotheses({frozen()}),
          .no_precise_runs = no_digits,
          .judge = judge_isotropic};
}

}  // namespace rarefact::checks::paquette2026
