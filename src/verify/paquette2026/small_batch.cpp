#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

constexpr const char* batch_key = "data.batch";

void judge_small_batch(const Evidence& evidence, CheckReport& report) {
  const auto at = [&](double batch) {
    return octave_rates(where(evidence[0], batch_key, batch), "muon", sign_svd_rates);
  };
  const OctaveRates small = at(8), large = at(256);
  const auto local = [&](const OctaveRates& rates, std::size_t first) {
    return judge::seed_mean("local exponent in λ", slopes(rates, first, 2));
  };
  const std::size_t steepest = small.predicted.size() - 2;
  report.add("tail",
             judge::interval_above("local exponent of the last two octaves, B = 8", local(small, 0), 0.85),
             true);
  report.add("tail-before", judge::interval_above("that of the two before", local(small, 1), 0.85));
  report.add("head", judge::interval_below("that of the first two octaves", local(small, steepest), 0.75),
             true);
  report.add("apart", judge::intervals_apart("tail of B = 8 above that of B = 256, distance of the intervals",
                                             local(small, 0), local(large, 0)));
  judge_octaves(report, "B = 8, ", small, 0.1);
  report.curve("drift of the modes in units of 2e/(2R)^½, means over octaves", "λ over its largest",
               {{"B = 8", small.mean()},
                {"formula", small.predicted},
                {"B = 256", large.mean()},
                {"formula of 256", large.predicted}});
  for (Finding& finding : report.findings) finding.published = "";
}

}  // namespace

CheckRow small_batch() {
  return {.id = "paquette2026/small-batch",
          .hypotheses = bilinear_hypotheses({frozen()}),
          .no_precise_runs = no_digits,
          .judge = judge_small_batch};
}

}  // namespace rarefact::checks::paquette2026
