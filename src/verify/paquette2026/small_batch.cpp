#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

void judge_small_batch(const Evidence& evidence, CheckReport& report) {
  const OctaveRates small = octave_rates(list_of(evidence[0]), "muon", sign_svd_rates),
                    large = octave_rates(list_of(evidence[1]), "muon", sign_svd_rates);
  const std::size_t last_pair = small.predicted.size() - 2;
  const auto local = [&](const OctaveRates& rates, std::size_t first) {
    return judge::seed_mean("", slopes(rates, first, 2));
  };
  const auto equals = [&](const OctaveRates& rates, const char* of, std::size_t first, double tolerance) {
    return judge::seed_mean_equals(fmt::format("exponent in λ of the drift, {}", of), slopes(rates, first, 2),
                                   predicted_slope(rates, first, 2), tolerance, 3 * tolerance);
  };
  report.add("tail", equals(small, "last two octaves, B = 8", 0, 0.05), true);
  report.add("head", equals(small, "first two octaves, B = 8", last_pair, 0.15), true);
  report.add("rises", judge::intervals_apart("distance of the tail's interval above the head's",
                                             local(small, 0), local(small, last_pair)));
  report.add("batch", judge::intervals_apart("distance of the tail's interval above that of B = 256",
                                             local(small, 0), local(large, 0)));
  judge_octaves(report, "B = 8, ", small, 0.15, 0.45);
  report.curve("drift of the modes in units of 2e/(2R)^½, means over octaves", "λ over its largest",
               {{"B = 8", small.mean()},
                {"formula", small.predicted},
                {"B = 256", large.mean()},
                {"formula of 256", large.predicted}});
}

}  // namespace

CheckRow small_batch() {
  return {.id = "paquette2026/small-batch",
          .hypotheses = bilinear_hypotheses({frozen()}),
          .further = {"paquette2026/square-root"},
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_small_batch};
}

}  // namespace rarefact::checks::paquette2026
