#include "verify/check.hpp"

namespace rarefact::checks::wang2026 {

namespace {

const std::vector<double> early = {0.9, 0.7, 0.5}, late = {0.3, 0.15};

/// nds of the update at the loss, ln nds linear in it between the recorded states; not a number where the run does not come
/// there.
double sharpness_at(const EvidencePoint& point, const std::string& rule, double loss) {
  const std::vector<double> losses = point.series(rule, "loss"), nds = point.series(rule, "nds");
  for (std::size_t i = 1; i < losses.size(); ++i) {
    if (losses[i] > loss) continue;
    const double part = (losses[i - 1] - loss) / (losses[i - 1] - losses[i]);
    return std::exp((1 - part) * std::log(nds[i - 1]) + part * std::log(nds[i]));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// ln of the ratio at a share of ln K: seed -> number.
std::map<std::int64_t, double> log_ratios(const PointList& points, double share) {
  std::map<std::int64_t, double> all;
  for (const EvidencePoint* point : points) {
    const double loss = share * std::log(point->class_total());
    all[point->experiment.seed] =
        std::log(sharpness_at(*point, "signgd", loss) / sharpness_at(*point, "muon", loss));
  }
  return all;
}

void judge_matched_loss(const Evidence& evidence, CheckReport& report) {
  const std::vector<double> exponents = values_of(evidence[0], "classes.exponent");
  std::vector<std::pair<std::string, Points>> curves;
  for (const double s : exponents) {
    Points means;
    for (const auto* shares : {&early, &late}) {
      for (const double share : *shares) {
        const auto ratios = log_ratios(where(evidence[0], "classes.exponent", s), share);
        Finding mean = judge::seed_mean("nds of signgd over that of muon, mean of its logarithm",
                                        collect(ratios, [](const auto& one) { return one.second; }));
        mean.published = "> 0";
        means[share] = std::exp(mean.measured);
        mean.rule = fmt::format("ratio {:.3g}", std::exp(mean.measured));
        report.finding("ratio", fmt::format("s = {:g}, loss {:g} ln K", s, share)).is(mean);
      }
    }
    curves.push_back({fmt::format("s = {:g}", s), means});
  }
  report.curve("nds of signgd over that of muon at the same loss", "loss/ln K", curves);
  for (const double share : early) {
    for (std::size_t i = 1; i < exponents.size(); ++i) {
      const auto before = log_ratios(where(evidence[0], "classes.exponent", exponents[i - 1]), share);
      std::vector<double> growth;
      for (const auto& [seed, ratio] :
           log_ratios(where(evidence[0], "classes.exponent", exponents[i]), share))
        growth.push_back(ratio - before.at(seed));
      report
          .finding("growth",
                   fmt::format("s = {:g} to {:g}, loss {:g} ln K", exponents[i - 1], exponents[i], share),
                   i == 1)
          .interval_above("growth of ln(ratio) above 0, by", judge::seed_mean("", growth), 0);
    }
  }
}

}  // namespace

CheckRow matched_loss() {
  return {.id = "wang2026/matched-loss",
          .hypotheses = {of_embeddings("Haar embeddings",
                                       [](const Component& side) { return side.kind == "orthogonal"; }),
                         population_without_noise(), equal_fan_in(), complete(), recorded_at_every_step()},
          .no_precise_runs = "Haar embeddings are dense, which is in doubles",
          .judge = judge_matched_loss};
}

}  // namespace rarefact::checks::wang2026
