#include "verify/check_row.hpp"
#include "verify/grouped_muon.hpp"
#include "verify/judge.hpp"

namespace rarefact::checks {

namespace {

/// K e^{-t} from which on L is K e^{-t} to a thousandth.
constexpr double tail_begin = 1e-3;

double time_of(const GroupedRun& run, std::int64_t step) {
  return run.step_size * static_cast<double>(step);
}

/// What is left of the class errors of a run beside (K-1)/(K-1+e^t).
struct Deviation {
  double error = 0;   ///< largest |ln(error/prediction)| as a part of what 1/C + M/C allows
  double spread = 0;  ///< ln(max/min of the errors) at the last step
};

/// Every entry of an update is within b = 1/C + M/C of the identity's, so every margin, a difference of two
/// entries, is within 2bt of t, and so is the logarithm of the odds.
Deviation deviation_of(const Evidence& evidence, const EvidencePoint& point, const GroupedRun& run) {
  Deviation deviation;
  for (const std::int64_t step : point.result.steps) {
    if (step == 0) continue;
    const double time = time_of(run, step);
    const double exact = in_precision(evidence, [&](auto zero) {
      using Real = decltype(zero);
      return error_of_margin<Real>(Real(time), Real(run.classes));
    });
    double least = INFINITY, most = 0;
    for (const double error : point.classes("muon", "error", step)) {
      least = std::min(least, error);
      most = std::max(most, error);
      const double part = std::abs(std::log(error / exact)) / (2 * run.bound * time + logit_rounding);
      // A comparison with not-a-number is false: such an error counts as infinitely far off.
      deviation.error = part <= deviation.error ? deviation.error : std::isnan(part) ? INFINITY : part;
    }
    deviation.spread = std::log(most / least);
  }
  return deviation;
}

void judge_largest(const Evidence& evidence, const EvidencePoint& point, CheckReport& report) {
  const GroupedRun run = grouped_run(point, "muon");
  const std::string where =
      fmt::format("K = {:.3g}, M = {:g}, η = {:g}", run.classes, run.groups, run.step_size);
  const std::vector<double> loss = point.series("muon", "loss");
  std::vector<double> growth, tail;
  Curve curve{.title = "loss, " + where,
              .x_label = "t",
              .series = {{"measured", {}}, {"ln(1 + (K-1) e^-t)", {}}, {"K e^-t", {}}}};
  for (std::size_t i = 0; i < loss.size(); ++i) {
    const double time = time_of(run, point.result.steps[i]), law = run.classes * std::exp(-time);
    if (law <= tail_begin) {
      growth.push_back(std::exp(time));
      tail.push_back(loss[i]);
    }
    curve.x.push_back(time);
    curve.series[0].y.push_back(loss[i]);
    curve.series[1].y.push_back(in_precision(evidence, [&](auto zero) {
      using Real = decltype(zero);
      return excess_loss_of_margin<Real>(Real(time), Real(run.classes), Real(0));
    }));
    curve.series[2].y.push_back(law);
  }
  if (tail.size() < 3) return;  // the hypothesis of the tail says so
  // L/(K e^-t) bends by half of K e^-t ...
  Finding rate =
      judge::exponent("exponent of L in e^t, " + where, growth, tail,
                      {.published = -1, .tolerance = 0.005, .sharp = -1.0, .sharp_tolerance = tail_begin});
  // ... and is off by that, by 1/K and by the drift of the margins.
  const double time = time_of(run, run.steps), law = run.classes * std::exp(-time);
  Finding constant = judge::equals("L/(K e^-t) at the end, " + where, tail.back() / law, 1,
                                   law + 1 / run.classes + 2 * run.bound * time + logit_rounding);
  rate.headline = constant.headline = report.curves.empty();
  report.findings.push_back(rate);
  report.findings.push_back(constant);
  report.curves.push_back(curve);
}

void judge_muon_noiseless(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  double largest = 0, fewest = INFINITY, late = 0, latest = 0, worst = 0;
  for (const EvidencePoint& point : points) {
    largest = std::max(largest, point.class_total());
    fewest = std::min(fewest, grouped_run(point, "muon").groups);
  }
  Points spread;
  std::vector<double> excesses;
  for (const EvidencePoint& point : points) {
    const GroupedRun run = grouped_run(point, "muon");
    const Deviation deviation = deviation_of(evidence, point, run);
    worst = std::max(worst, deviation.error);
    late = std::max(late, run.classes * std::exp(-time_of(run, run.steps)));
    if (run.classes > 0.99 * largest && run.groups > fewest) judge_largest(evidence, point, report);
    if (run.groups == fewest) {
      latest = std::max(latest, time_of(run, run.steps));
      spread[run.group_size] = deviation.spread / time_of(run, run.steps);
      if (run.group_size >= spread.rbegin()->first) excesses = rate_excesses(evidence, point);
    }
  }
  report.hypotheses = {hypothesis::orthonormal(points), hypothesis::population_without_noise(points),
                       equal_groups(points),
                       Hypothesis{"the runs reach t well above ln K", late <= tail_begin / 3,
                                  fmt::format("K e^-t at the end is at most {:.2g}", late)}};
  report.hypotheses.push_back(fitted(report, "exponent of L in e^t"));
  report.findings.push_back(
      judge::at_most("largest |ln(error/predicted)| of a class, as a part of 2t(1/C + M/C)", worst, 1));
  if (spread.size() >= 3) {
    // The next order is t/C of the first, and rounding of the errors a hundredth at the largest C.
    const double bend =
        (latest / keys(spread).front() + 0.01) / std::log(keys(spread).back() / keys(spread).front());
    report.findings.push_back(judge::exponent(
        fmt::format("exponent of ln(max/min class error)/t in C, M = {:g}", fewest), keys(spread),
        values(spread), {.published = -1, .tolerance = bend, .sharp = -1.0, .sharp_tolerance = bend}));
    const auto [least, most] = std::minmax_element(excesses.begin(), excesses.end());
    std::vector<double> scaled;
    for (const auto& [size, one] : spread) scaled.push_back(one * size);
    report.findings.push_back(judge::bounded("C ln(max/min class error)/t", keys(spread), scaled, 0.02,
                                             (*most - *least) * keys(spread).back(), 0.01));
  }
  report.note =
      "Runs with the fewest groups are in 50 digits and measure the o(1) of the statement: rates of classes "
      "differ by O(1/C), with the constant that the first step has.";
  undecide_where_unmet(report);
}

}  // namespace

CheckRow muon_noiseless() {
  return {
      .id = "li2026/muon-noiseless",
      .title = "Muon without label noise",
      .statement =
          "Without label noise Muon learns all classes at one exponential rate, however rare they are: "
          "L_l(t) ≍ "
          "K e^{-(1+o(1))t}, t = η x steps.",
      .source = "li2026, Theorem 4.2",
      .hypotheses = {"orthonormal embeddings", "population gradient without label noise",
                     "M groups of C equally likely classes", "t well above ln K"},
      .predicted =
          "margin t and error (K-1)/(K-1+e^t) of every class, so that L/(K e^-t) → 1; margins differ from t "
          "by "
          "at most 2t(1/C + M/C), to first order by t(1 + oK)/(K-1), 1 + o the own entry of the first update",
      .measured =
          "losses and class errors of M = 4, 16, 64 groups at every step, K up to 1e15; symmetric engine",
      .rule =
          "the exponent of L in e^t is -1 and the ratio to K e^-t is 1 at the end; no class error is farther "
          "from its prediction than the bound; the spread of rates is the first step's over C",
      .experiments =
          {{.file = "li2026/muon-noiseless.toml",
            .quick =
                {"sweep.classes.groups, classes.group_size, run.steps, run.precision, "
                 "optimizer.muon.step_size=[[2, 1e3, 44, 50, 1], [2, 1e8, 44, 50, 1], [2, 5e14, 44, 50, "
                 "1], [16, 10, 150, 16, 0.5], [16, 6.25e13, 150, 16, 0.5], [16, 6.25e13, 150, 16, 0.37]]"},
            .precise = {"sweep.classes.groups, classes.group_size, run.steps, run.precision, "
                        "optimizer.muon.step_size=[[2, 1e3, 50, 50, 1], [2, 1e5, 50, 50, 1], [2, 1e7, 50, "
                        "50, 1], [8, 10, 80, 50, 0.7], [8, 1.25e14, 80, 50, 0.7]]"}}},
      .judge = judge_muon_noiseless};
}

}  // namespace rarefact::checks
