#include "verify/squares.hpp"

namespace rarefact::checks::vasudeva2025 {

namespace {

/// μ²/σ².
double signal_to_noise(const EvidencePoint& point) {
  const LeastSquares& data = point.experiment.squares;
  return std::pow(data.query_scale / data.query_noise, 2);
}

/// How much less muon's loss is than that of another rule, in units of μt: of the rarest class, and of all classes' mean.
struct Lead {
  double of_rarest = 0, of_mean = 0;
};

Lead lead_at(const EvidencePoint& point, const std::string& other, std::int64_t step) {
  const std::vector<double> theirs = point.classes(other, "class_loss", step),
                            muons = point.classes("muon", "class_loss", step);
  const double unit =
      point.experiment.squares.query_scale * point.optimizer("muon").step_size * static_cast<double>(step);
  Lead lead{(theirs.back() - muons.back()) / unit, 0};
  for (std::size_t g = 0; g < theirs.size(); ++g)
    lead.of_mean += point.run().class_count[g] / point.class_total() * (theirs[g] - muons[g]) / unit;
  return lead;
}

/// μ >= 1, k >= 3μ, p_m <= 1/(5 SNR + 6k).
bool rare_enough(const EvidencePoint& point) {
  const double mu = point.experiment.squares.query_scale, classes = point.class_total();
  return mu >= 1 && classes >= 3 * mu &&
         point.run().class_probability.back() <= 1 / (5 * signal_to_noise(point) + 6 * classes);
}

void judge_minority(const Evidence& evidence, CheckReport& report) {
  double rarest = std::numeric_limits<double>::infinity(), mean = rarest, against_ngd = rarest;
  Points of_rarest, of_mean;
  for (const EvidencePoint& point : evidence[0]) {
    const double a = modes_of(point).coefficient.back();
    for (const std::int64_t step : point.result.steps) {
      const double t = static_cast<double>(step) * point.optimizer("muon").step_size;
      if (step == 0 || t > a) continue;
      const Lead gd = lead_at(point, "gd", step), ngd = lead_at(point, "ngd", step);
      rarest = std::min(rarest, gd.of_rarest);
      mean = std::min(mean, gd.of_mean);
      against_ngd = std::min(against_ngd, ngd.of_rarest);
      if (&point != &evidence[0].front()) continue;
      of_rarest[t] = gd.of_rarest;
      of_mean[t] = gd.of_mean;
    }
  }
  report.add("rarest", judge::at_least("least (L_gd - L_muon)/(μt) of the rarest class", rarest, 0.25), true);
  report.add("mean", judge::at_least("the same of the mean over classes", mean, 0.5), true);
  report.add("ngd", judge::at_least("the same of the rarest class against ngd", against_ngd, 0.5));
  report.curve("how much Muon is ahead, in units of μt", "t = ηn",
               {{"rarest class", of_rarest}, {"mean over classes", of_mean}});
}

}  // namespace

CheckRow minority() {
  return {.id = "vasudeva2025/minority",
          .hypotheses = {least_squares(false), hypothesis::identity(), hypothesis::population_without_noise(),
                         hypothesis::every("μ >= 1, K >= 3μ, p of the rarest class at most 1/(5 μ²/σ² + 6K)",
                                           rare_enough, "all runs",
                                           "a run has fewer classes or a more frequent rarest one"),
                         hypothesis::complete()},
          .no_precise_runs = squares_have_no_digits,
          .judge = judge_minority};
}

}  // namespace rarefact::checks::vasudeva2025
