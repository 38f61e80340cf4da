#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

void judge_square_root(const Evidence& evidence, CheckReport& report) {
  const OctaveRates muon = octave_rates(list_of(evidence[0]), "muon", sign_svd_rates);
  report.add("slope",
             judge::seed_mean_equals("exponent in λ of the drift, octaves of modes", slopes(muon),
                                     predicted_slope(muon), 0.03, 0.03),
             true);
  judge_octaves(report, "", muon, 0.1, 0.1);
  report.curve("drift of the modes in units of 2e/(2R)^½, means over octaves", "λ over its largest",
               {{"muon", muon.mean()}, {"formula", muon.predicted}});
}

}  // namespace

CheckRow square_root() {
  return {.id = "paquette2026/square-root",
          .hypotheses = bilinear_hypotheses({frozen()}),
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_square_root};
}

}  // namespace rarefact::checks::paquette2026
