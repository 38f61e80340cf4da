#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

void judge_isotropic(const Evidence& evidence, CheckReport& report) {
  const EvidencePoint& first = evidence[0].front();
  const BilinearProblem problem = problem_of(first);
  const auto measured = [&](const std::string& rule, double unit) {
    return collect(evidence[0], [&](const auto& point) { return measured_rates(point, rule).mean() / unit; });
  };
  const auto predicted = [&](Rates rates, double unit) {
    return predicted_rates(first, rates).mean() / unit;
  };
  const double of_muon = std::sqrt(problem.batch / problem.outputs), of_sign = std::sqrt(problem.batch);
  report.add("drift", "muon, in units of (B/d)^½",
             judge::seed_mean_equals("drift of all modes", measured("muon", of_muon),
                                     predicted(sign_svd_rates, of_muon), 0.08, 0.05),
             true);
  report.add("drift", "signgd, in units of B^½",
             judge::seed_mean_equals("drift of all modes", measured("signgd", of_sign),
                                     predicted(sign_sgd_rates, of_sign), 0.08, 0.05),
             true);
  // Squared norms of an update: d of a polar factor, d² of signs.
  const double sizes = problem.outputs;
  std::vector<double> worth = measured("muon", 1), signs = measured("signgd", 1);
  for (std::size_t i = 0; i < worth.size(); ++i) worth[i] = sizes * std::pow(worth[i] / signs[i], 2);
  report.add("worth",
             judge::seed_mean_equals(
                 "squared drift for the squared norm of an update, muon over signgd", worth,
                 sizes * std::pow(predicted(sign_svd_rates, 1) / predicted(sign_sgd_rates, 1), 2), 0.1, 0.1),
             true);
}

}  // namespace

CheckRow isotropic() {
  return {.id = "paquette2026/isotropic",
          .hypotheses = bilinear_hypotheses({frozen()}),
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_isotropic};
}

}  // namespace rarefact::checks::paquette2026
