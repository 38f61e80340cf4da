#include "model/margin.hpp"
#include "theory/sign_walk.hpp"
#include "verify/li2026/muon_runs.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// The largest distance of a class's first step with p̂ >= π₁ from the one predicted.
double crossing_distance(const CycleRun& run) {
  const double wrong = wrong_answer_probability<double>(run.classes, run.label_noise);
  Largest largest;
  for (std::size_t row = 0; row < run.point->run().class_count.size(); ++row) {
    const std::vector<double> errors = run.point->series("muon", "error", row);
    const auto first =
        std::find_if(errors.begin(), errors.end(), [&](double error) { return error <= wrong; });
    // Every step is recorded.
    largest.add(first == errors.end() ? INFINITY
                                      : std::abs(static_cast<double>(first - errors.begin() - run.crossing)));
  }
  return largest;
}

/// The margin a class of this error has if its wrong logits agree, ln((K-1)(1-e)/e).
double margin_of_error(double error, double classes) {
  return std::log(classes - 1) + std::log1p(-error) - std::log(error);
}

/// The largest | |Δm|/η - 1 | of the steps after the crossing, as a part of the 2(1/C + M/C) allowed;
/// infinite where a class goes the same way twice.
double stride_deviation(const CycleRun& run) {
  Largest largest;
  for (std::size_t row = 0; row < run.point->run().class_count.size(); ++row) {
    double before = 0;
    for (std::int64_t step = run.crossing; step < run.steps; ++step) {
      const double change = margin_of_error(run.point->at("muon", "error", step + 1, row), run.classes) -
                            margin_of_error(run.point->at("muon", "error", step, row), run.classes);
      const double part =
          std::abs(std::abs(change) / run.step_size - 1) / (2 * run.bound + logit_rounding / run.step_size);
      largest.add(change * before <= 0 ? part : INFINITY);
      before = change;
    }
  }
  return largest;
}

void judge_family(const std::map<double, CycleRun>& runs, bool largest, CheckReport& report) {
  const CycleFamily family(runs);
  const std::string of =
      fmt::format("α = {:g}, K = {:.3g}", family.finest.label_noise, family.finest.classes);
  const bool headline = report.findings.empty();
  // The exponent is 2 + (π₁ - (1-π₁)) δ/3 at the distance δ, nearer to 2 the smaller η is; the closed form
  // has that too.
  report.add("exponent", of,
             judge::exponent("exponent of the envelope in η", family.x, family.envelope,
                             family.claim(judge::ExponentClaim::Kind::equal, 2, largest)),
             headline);
  if (!largest) return;
  report.add("closed-form", of,
             judge::agree("envelope against the closed form of the cycle", family.envelope, family.exact,
                          family.allowed),
             headline);
  report.add("leading-order", of, family.judge_leading("envelope/(½ π₁(1-π₁) η²) as η falls", true));
  report.curves.push_back(
      {.title = "larger excess loss of two steps against η, " + of,
       .x_label = "η",
       .x = family.x,
       .series = {
           {"measured", family.envelope}, {"closed form", family.exact}, {"½ π₁(1-π₁) η²", family.leading}}});
}

/// The excess loss of a run from ten steps before the crossing on.
Curve crossing_curve(const Evidence& evidence, const CycleRun& run) {
  Curve curve{.title = fmt::format("excess loss at the crossing, α = {:g}, K = {:.3g}, η = {:.4g}",
                                   run.label_noise, run.classes, run.step_size),
              .x_label = "step",
              .series = {{"measured", {}}, {"closed form", {}}}};
  for (std::int64_t step = std::max<std::int64_t>(0, run.crossing - 10); step <= run.steps; ++step) {
    curve.x.push_back(static_cast<double>(step));
    curve.series[0].y.push_back(run.point->at("muon", "excess_loss", step));
    curve.series[1].y.push_back(in_precision(evidence, [&]<class Real>(Real) {
      const Real margin = sign_walk<Real>(Real(run.step_size), Real(run.optimum), step);
      return excess_loss_of_margin<Real>(margin, Real(run.classes), Real(run.label_noise));
    }));
  }
  return curve;
}

void judge(const Evidence& evidence, CheckReport& report) {
  std::map<std::pair<double, double>, std::map<double, CycleRun>> families;  // of -K and α, by η
  double shortest = INFINITY, most_classes = 0;
  Largest crossing, stride, part, bounded;
  for (const EvidencePoint& point : evidence[0]) {
    const CycleRun run = cycle_run(evidence, point);
    most_classes = std::max(most_classes, run.classes);
    shortest = std::min(shortest, static_cast<double>(run.steps - run.crossing));
    if (run.steps - run.crossing < 3) continue;
    families[{-run.classes, run.label_noise}][run.step_size] = run;
    crossing.add(crossing_distance(run));
    stride.add(stride_deviation(run));
    part.add(std::abs(std::log(run.envelope() / run.exact)) / run.allowed());
    bounded.add(run.envelope() / run.limit);
  }
  std::size_t fewest = families.empty() ? 0 : evidence[0].size();
  for (const auto& [key, family] : families) fewest = std::min(fewest, family.size());
  report.assume("every run goes on for three steps beyond m*/η", shortest >= 3,
                fmt::format("the shortest by {:g}", shortest));
  report.assume("three step sizes or more for every α and K", fewest >= 3,
                fmt::format("at least {}", fewest));
  for (const auto& [key, family] : families) {
    if (family.size() >= 3) judge_family(family, -key.first > 0.99 * most_classes, report);
  }
  if (families.empty()) return;
  Finding& step =
      report.add("crossing", judge::at_most("largest |first step with p̂ >= π₁ - ⌈m*/η⌉|", crossing, 1));
  step.sharp = 0.0;
  if (crossing == 0) step.verdict = Verdict::sharp;
  step.headline = true;
  report.add("stride",
             judge::at_most("largest | |Δm|/η - 1 | of the alternating margins, as a part of 2(1/C + M/C)",
                            stride, 1));
  report.add(
      "deviation",
      judge::at_most("largest |ln(envelope/closed form)| as a part of what 1/C + M/C allows", part, 1));
  report.add("bound", judge::at_most("largest envelope/excess loss at the distance η from m*", bounded, 1));
  report.curves.push_back(crossing_curve(evidence, families.begin()->second.rbegin()->second));
}

}  // namespace

CheckRow muon_noisy() {
  return {.id = "li2026/muon-noisy",
          .hypotheses = {hypothesis::orthonormal(), hypothesis::population(),
                         hypothesis::needed(hypothesis::label_noise()),
                         hypothesis::needed(hypothesis::recorded_at_every_step()), hypothesis::equal_groups(),
                         away_from_minimum()},
          .judge = judge};
}

}  // namespace rarefact::checks::li2026
