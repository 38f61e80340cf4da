#include "verify/check.hpp"
#include "verify/paquette2026/phase_recursion.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

constexpr const char* exponent_key = "classes.exponent";

/// α of the exponent 2α.
double alpha_of(const EvidencePoint& point) {
  return point.parameter(exponent_key) / 2;
}

/// R of Muon over that of SignGD at each horizon, each at its best step size; curvatures are the probabilities of a run.
Points ratios(const EvidencePoint& point, double beta, const std::vector<std::int64_t>& horizons) {
  const std::vector<double>& p = point.run().class_probability;
  Modes modes = power_modes(alpha_of(point), beta, static_cast<Index>(p.size()));
  modes.curvature = Eigen::Map<const Eigen::ArrayXd>(p.data(), modes.curvature.size());
  const std::vector<double> muon = tuned_risks(muon_phase_rates(modes.curvature), modes, horizons),
                            sign = tuned_risks(signsgd_phase_rates(modes.curvature), modes, horizons);
  Points found;
  for (std::size_t h = 0; h < horizons.size(); ++h)
    found[static_cast<double>(horizons[h])] = muon[h] / sign[h];
  return found;
}

/// Four (α, β), one of each kind of ordering that is known to be asymptotic at d = 256.
void judge_orderings(const Evidence& evidence, CheckReport& report) {
  const auto course = [&](double alpha, double beta) {
    return ratios(*where(evidence[0], exponent_key, 2 * alpha).front(), beta, {8, 32, 128, 512, 2048});
  };
  const auto least = [](const Points& points) { return std::ranges::min(values(points)); };
  const Points few = course(0.25, 0.75), traded = course(0.75, 0.25), smooth = course(0.75, 1.75),
               muon = course(1.25, 0.5);
  report.headline("signgd", "α = 0.25, β = 0.75")
      .at_least("least R_muon/R_signgd, T = 8 to 512", least(between(few, 8, 512)), 1);
  report.headline("signgd", "α = 0.75, β = 1.75")
      .at_least("least R_muon/R_signgd, T = 8 to 2048", least(smooth), 1);
  report.finding("signgd-first").at_least("R_muon/R_signgd, T = 8, α = 0.75, β = 0.25", traded.at(8), 1);
  report.headline("muon-later").at_most("R_muon/R_signgd, T = 2048, α = 0.75, β = 0.25", traded.at(2048), 1);
  report.headline("muon", "α = 1.25, β = 0.5")
      .at_most("greatest R_muon/R_signgd, T = 32 to 2048", std::ranges::max(values(between(muon, 32))), 1);
  report.curve("R of Muon over that of SignGD, each at its best step size", "T",
               {{"α = 0.25, β = 0.75", few},
                {"α = 0.75, β = 0.25", traded},
                {"α = 0.75, β = 1.75", smooth},
                {"α = 1.25, β = 0.5", muon}});
}

/// From the nearest line, from α = 0, where both are equal, and from α + β = 1/2, where no power is left.
double distance_of_lines(double alpha, double beta) {
  const double diagonal =
      std::min(std::abs(beta - alpha - 0.5), std::abs(alpha + beta - 0.5)) / std::sqrt(2.0);
  return std::min({alpha, std::abs(alpha - 0.5), std::abs(alpha - 1), diagonal});
}

void judge_diagram(const Evidence& evidence, CheckReport& report) {
  constexpr double horizon = 128, near = 0.16;
  double right = 0, all = 0, far = 0, far_wrong = 0;
  std::vector<std::pair<std::string, Points>> rows;
  for (const EvidencePoint& point : evidence[0]) {
    const double alpha = alpha_of(point);
    Points row;
    for (int b = 1; b <= 20; ++b) {
      const double beta = b / 10.0;
      row[beta] = ratios(point, beta, {static_cast<std::int64_t>(horizon)}).at(horizon);
      if (alpha + beta <= 0.5) continue;
      const Phase phase = phase_of(alpha, beta);
      if (phase != Phase::muon && phase != Phase::signsgd) continue;
      const bool derived = (row[beta] < 1) == (phase == Phase::muon);
      const bool inside = distance_of_lines(alpha, beta) > near;
      ++all;
      right += derived ? 1 : 0;
      far += inside ? 1 : 0;
      far_wrong += inside && !derived ? 1 : 0;
    }
    rows.push_back({fmt::format("α = {:g}", alpha), row});
  }
  report.finding("inside").at_most(
      fmt::format("of {:g} points away from lines, those on the wrong side", far),
      far > 0 ? far_wrong : INFINITY, 0);
  report.headline("diagram").is(
      {.quantity = "share of the points on the derived side, T = 128",
       .measured = right / all,
       .rule = fmt::format("{:g} of {:g} points; boundaries are asymptotic", right, all),
       .verdict = Verdict::evidence});
  report.curve("R of Muon over that of SignGD at T = 128", "β", rows);
}

void judge_phases(const Evidence& evidence, CheckReport& report) {
  judge_orderings(evidence, report);
  judge_diagram(evidence, report);
  for (Finding& finding : report.findings) {
    finding.published = "";
    // What the recursion says, no run measures: that lines lie where it has them is no confirmation of them.
    if (finding.verdict == Verdict::holds) finding.verdict = Verdict::evidence;
  }
  report.note =
      "Not measured: the numbers are those of the recursion, which no run of this check can refute; "
      "paquette2026/dynamics measures the recursion itself";
}

}  // namespace

CheckRow phases() {
  return {.id = "paquette2026/phases",
          .hypotheses = {equal_fan_in(),
                         needed(every(
                             "curvatures of a power law",
                             [](const auto& point) { return point.experiment.spectrum.kind == "power_law"; },
                             "all runs", "a spectrum is another")),
                         needed({"α = 0.25, 0.75 and 1.25 among them",
                                 [](const PointList& points) {
                                   const std::vector<double> found = distinct(points, alpha_of);
                                   const bool met =
                                       std::ranges::all_of(std::vector{0.25, 0.75, 1.25}, [&](double one) {
                                         return std::ranges::any_of(found, [&](double alpha) {
                                           return std::abs(alpha - one) < 1e-12;
                                         });
                                       });
                                   return Outcome{met, fmt::format("α = {:g}", fmt::join(found, ", "))};
                                 }}),
                         ranged(
                             "many modes", [](const auto& point) { return point.class_total(); },
                             "d at least {:g}", [](double least, double) { return least >= 128; }),
                         assumed("gradients dominated by their sampling noise, B ≪ d_out d"),
                         assumed("1 ≪ T, and the last mode is still to come")},
          .no_precise_runs = "the recursion is in double precision",
          .judge = judge_phases};
}

}  // namespace rarefact::checks::paquette2026
