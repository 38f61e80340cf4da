#include "model/margin.hpp"
#include "verify/li2026/muon_runs.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// K e^{-t} from which on L is K e^{-t} to a thousandth.
constexpr double tail_begin = 1e-3;

double law_at(const MuonRun& run, std::int64_t step) {
  return run.classes * std::exp(-run.time(step));
}

/// The largest |ln(error/prediction)| as a part of what 1/C + M/C allows: every entry of an update is within
/// b = 1/C + M/C of the identity's, so every margin, a difference of two entries, is within 2bt of t, and so
/// is the logarithm of the odds.
double error_deviation(const Evidence& evidence, const MuonRun& run) {
  Largest largest;
  for (const std::int64_t step : run.point->result.steps) {
    if (step == 0) continue;
    const double time = run.time(step);
    const double exact =
        evidence.exact([&]<class Real>(Real) { return error_of_margin<Real>(time, run.classes); });
    for (const double error : run.point->classes("muon", "error", step))
      largest.add(std::abs(std::log(error / exact)) / (2 * run.bound * time + logit_rounding));
  }
  return largest;
}

/// ln(max/min of the class errors)/t at the last step.
double rate_spread(const MuonRun& run) {
  const std::vector<double> errors = run.point->classes("muon", "error", run.steps);
  const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
  return std::log(*most / *least) / run.end();
}

void judge_tail(const Evidence& evidence, const MuonRun& run, CheckReport& report) {
  const std::string of =
      fmt::format("K = {:.3g}, M = {:g}, η = {:g}", run.classes, run.groups, run.step_size);
  Points tail, measured, exact, leading;  // over e^t, the others over t
  const std::vector<double> loss = run.point->series("muon", "loss");
  for (std::size_t i = 0; i < loss.size(); ++i) {
    const std::int64_t step = run.point->result.steps[i];
    const double time = run.time(step), law = law_at(run, step);
    if (law <= tail_begin) tail[std::exp(time)] = loss[i];
    measured[time] = loss[i];
    exact[time] =
        evidence.exact([&]<class Real>(Real) { return excess_loss_of_margin<Real>(time, run.classes, 0); });
    leading[time] = law;
  }
  if (tail.size() < 3) return;  // the hypothesis of the tail says so
  const bool headline = report.curves.empty();
  // L/(K e^-t) bends by half of K e^-t ...
  report.finding("rate", of, headline).exponent("exponent of L in e^t", tail, -1, tail_begin);
  // ... and is off by that, by 1/K and by the drift of the margins.
  const double law = law_at(run, run.steps);
  report.finding("constant", of, headline)
      .equals("L/(K e^-t) at the end", tail.rbegin()->second / law, 1,
              law + 1 / run.classes + 2 * run.bound * run.end() + logit_rounding);
  report.curve("loss, " + of, "t",
               {{"measured", measured}, {"ln(1 + (K-1) e^-t)", exact}, {"K e^-t", leading}});
}

void judge_noiseless(const Evidence& evidence, CheckReport& report) {
  const std::vector<MuonRun> runs = mapped(evidence[0], muon_run);
  double most_classes = 0, fewest = INFINITY, latest = 0;
  for (const MuonRun& run : runs) {
    most_classes = std::max(most_classes, run.classes);
    fewest = std::min(fewest, run.groups);
  }
  Largest worst;
  Points spread;
  std::vector<double> excesses;
  for (const MuonRun& run : runs) {
    worst.add(error_deviation(evidence, run));
    if (run.classes > 0.99 * most_classes && run.groups > fewest) judge_tail(evidence, run, report);
    if (run.groups == fewest) {
      latest = std::max(latest, run.end());
      spread[run.group_size] = rate_spread(run);
      if (run.group_size >= spread.rbegin()->first) excesses = rate_excesses(evidence, *run.point);
    }
  }
  // A fit that too few runs leave out decides nothing.
  const std::size_t fits = report.of("rate").size();
  report.assume("the runs are enough for the exponent of L in e^t", fits > 0, fmt::format("fits: {}", fits));
  report.finding("error").at_most("largest |ln(error/predicted)| of a class, as a part of 2t(1/C + M/C)",
                                  worst, 1);
  if (spread.size() < 3) return;
  const auto [least, most] = std::minmax_element(excesses.begin(), excesses.end());
  judge_falling("spread-", "", false,
                fmt::format("exponent of ln(max/min class error)/t in C, M = {:g}", fewest),
                "C ln(max/min class error)/t", spread, *most - *least, latest, report);
}

}  // namespace

CheckRow muon_noiseless() {
  return {.id = "li2026/muon-noiseless",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in(), equal_groups(),
                         ranged(
                             "the runs reach t well above ln K",
                             [](const auto& point) { return law_at(muon_run(point), point.last_step()); },
                             "K e^-t at the end is at most {1:.2g}",
                             [](double, double late) { return late <= tail_begin / 3; })},
          .judge = judge_noiseless};
}

}  // namespace rarefact::checks::li2026
