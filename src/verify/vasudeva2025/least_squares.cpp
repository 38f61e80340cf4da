#include "core/end_rows.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::vasudeva2025 {

namespace {

void judge_closed_forms(const Evidence& evidence, CheckReport& report) {
  for (const std::string rule : {"gd", "muon", "signgd", "newton"}) {
    Comparison all;
    for (const EvidencePoint& point : evidence[0]) {
      for (const std::int64_t step : point.result.steps)
        all.add(point.classes(rule, "coefficient", step), point.classes(rule, "coefficient_predicted", step));
    }
    report.headline("coefficient", rule)
        .agree("coefficient of every class at every step against its closed form", all, 1e-12);
  }
  Comparison losses;
  Largest beyond;
  for (const EvidencePoint& point : evidence[0]) {
    losses.add(point.series("signgd", "excess_loss"), point.series("muon", "excess_loss"));
    const SquareModes modes = modes_of(point);
    double all = 0;
    for (std::size_t g = 0; g < modes.curvature.size(); ++g)
      all += point.run().class_count[g] * modes.curvature[g];
    const double step = point.optimizer("muon").step_size;
    beyond.add(point.last("muon", "excess_loss") / (step * step * all / 2));
  }
  report.finding("same").agree("excess loss of signgd against that of muon", losses, 1e-12);
  report.finding("cycle").ours().at_most("largest excess loss of muon at the end over ½ η² Σh", beyond, 1);
}

std::size_t rarest_row(const EvidencePoint& point) {
  return end_rows(point.run().class_probability).tail;
}

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
  const std::size_t rarest = rarest_row(point);
  Lead lead{(theirs[rarest] - muons[rarest]) / unit, 0};
  for (std::size_t g = 0; g < theirs.size(); ++g)
    lead.of_mean += point.run().class_count[g] / point.class_total() * (theirs[g] - muons[g]) / unit;
  return lead;
}

/// μ >= 1, k >= 3μ, p_m <= 1/(5 SNR + 6k).
bool rare_enough(const EvidencePoint& point) {
  const double mu = point.experiment.squares.query_scale, classes = point.class_total();
  return mu >= 1 && classes >= 3 * mu &&
         point.run().class_probability[rarest_row(point)] <= 1 / (5 * signal_to_noise(point) + 6 * classes);
}

void judge_minority(const Evidence& evidence, CheckReport& report) {
  double rarest = std::numeric_limits<double>::infinity(), mean = rarest, against_ngd = rarest;
  Points of_rarest, of_mean;
  for (const EvidencePoint& point : evidence[0]) {
    const double a = modes_of(point).coefficient[rarest_row(point)];
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
  report.headline("rarest").at_least("least (L_gd - L_muon)/(μt) of the rarest class", rarest, 0.25);
  report.headline("mean").at_least("the same of the mean over classes", mean, 0.5);
  report.finding("ngd").at_least("the same of the rarest class against ngd", against_ngd, 0.5);
  report.curve("how much Muon is ahead, in units of μt", "t = ηn",
               {{"rarest class", of_rarest}, {"mean over classes", of_mean}});
}

void judge_equal_rates(const Evidence& evidence, CheckReport& report) {
  Comparison muon, loss, gd;
  for (const EvidencePoint& point : evidence[0]) {
    const SquareModes modes = modes_of(point);
    const LeastSquares& data = point.experiment.squares;
    const double n = static_cast<double>(point.last_step()), t = n * point.optimizer("muon").step_size;
    const double noise = std::pow(data.query_noise, 2) * point.class_total();
    const std::vector<double> reached = point.classes("muon", "coefficient", point.last_step()),
                              losses = point.classes("muon", "class_loss", point.last_step()),
                              slow = point.classes("gd", "coefficient", point.last_step());
    for (std::size_t g = 0; g < reached.size(); ++g) {
      muon.add(reached[g], t);
      loss.add(losses[g], (std::pow(1 - data.query_scale * t, 2) + noise * t * t) / 2);
      const double h = modes.curvature[g], eta = point.optimizer("gd").step_size;
      gd.add(slow[g] / modes.coefficient[g], -std::expm1(n * std::log1p(-eta * h)));
    }
  }
  report.headline("muon").agree("coefficient of every class under muon against t", muon, 1e-12);
  report.finding("loss").agree("loss of every class under muon against ½((1-μt)² + σ²Kt²)", loss, 1e-12);
  report.headline("gd").agree("coefficient over a under gd against 1 - (1 - ηh)^n", gd, 1e-12);
}

/// A statement on least squares of facts under the exact gradient.
CheckRow of_facts(const char* id, void (*judge)(const Evidence&, CheckReport&),
                  std::vector<HypothesisRow> further = {}) {
  CheckRow row{.id = id,
               .hypotheses = {least_squares(false), identity(), population_without_noise()},
               .no_precise_runs = squares_have_no_digits,
               .judge = judge};
  row.hypotheses.insert(row.hypotheses.end(), further.begin(), further.end());
  row.hypotheses.push_back(complete());
  return row;
}

}  // namespace

CheckRow closed_forms() {
  return of_facts("vasudeva2025/closed-forms", judge_closed_forms);
}

CheckRow minority() {
  return of_facts("vasudeva2025/minority", judge_minority,
                  {every("μ >= 1, K >= 3μ, p of the rarest class at most 1/(5 μ²/σ² + 6K)", rare_enough,
                         "all runs", "a run has fewer classes or a more frequent rarest one")});
}

CheckRow equal_rates() {
  return of_facts("vasudeva2025/equal-rates", judge_equal_rates);
}

}  // namespace rarefact::checks::vasudeva2025
