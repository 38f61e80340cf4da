#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

PointList runs_in(PointList points, const std::string& embedding) {
  std::erase_if(points, [&](const auto* p) { return p->experiment.query_embedding.kind != embedding; });
  return points;
}

/// As many in one basis as in the other.
Outcome both_bases(const PointList& points) {
  const std::size_t own = runs_in(points, "identity").size(), random = runs_in(points, "orthogonal").size();
  return {own > 0 && own == random, fmt::format("{} and {} runs", own, random)};
}

void judge_signsgd(const Evidence& evidence, CheckReport& report) {
  std::vector<std::pair<std::string, Points>> curves;
  const auto judge_one = [&](const std::string& of, const PointList& points, const std::string& rule,
                             Rates rates) {
    const OctaveRates found = octave_rates(points, rule, rates);
    report.add("slope", of,
               judge::seed_mean_equals("exponent in λ of the drift, octaves of modes", slopes(found),
                                       predicted_slope(found), 0.08, 0.08),
               true);
    judge_octaves(report, of + ", ", found, 0.2, 0.2);
    curves.push_back({of, found.mean()});
    curves.push_back({of + ", formula", found.predicted});
  };
  const auto in = [&](const std::string& embedding) { return runs_in(list_of(evidence[0]), embedding); };
  judge_one("signgd, random basis", in("orthogonal"), "signgd", sign_sgd_rates);
  judge_one("signgd, basis of the modes", in("identity"), "signgd", sign_sgd_eigenbasis_rates);
  const auto muon = [&](const std::string& embedding) {
    return collect(in(embedding), [](const auto* point) {
      const Eigen::ArrayXd rates = measured_rates(*point, "muon");
      return std::vector<double>(rates.begin(), rates.end());
    });
  };
  report.add("muon", judge::agree("drift of every mode under muon, one basis against the other",
                                  muon("orthogonal"), muon("identity"), 1e-3));
  const OctaveRates large = octave_rates(in("identity"), "muon", sign_svd_rates);
  curves.push_back({"muon", large.mean()});
  curves.push_back({"muon, formula", large.predicted});
  report.curve("drift of the modes in units of 2e/(2R)^½, means over octaves", "λ over its largest", curves);
}

}  // namespace

CheckRow signsgd() {
  return {.id = "paquette2026/signsgd",
          .hypotheses = bilinear_hypotheses(
              {needed({"in the basis of the modes and in a random one", both_bases}), frozen()}),
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_signsgd};
}

}  // namespace rarefact::checks::paquette2026
