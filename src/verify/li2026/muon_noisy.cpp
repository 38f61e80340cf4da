#include "core/first_index.hpp"
#include "model/margin.hpp"
#include "theory/margin_paths.hpp"
#include "verify/li2026/muon_runs.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// The largest distance of a class's first step with p̂ >= π₁ from the one predicted.
double crossing_distance(const CycleRun& run) {
  const double wrong = wrong_answer_probability<double>(run.classes, run.label_noise);
  Largest largest;
  for (std::size_t row = 0; row < run.point->run().class_count.size(); ++row) {
    const std::vector<double> errors = run.point->series("muon", "error", row);
    const std::size_t first =
        first_index(errors.size(), [&](std::size_t step) { return errors[step] <= wrong; });
    // Every step is recorded.
    largest.add(first == errors.size()
                    ? INFINITY
                    : std::abs(static_cast<double>(first) - static_cast<double>(run.crossing)));
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

/// The excess loss of a run from ten steps before the crossing on.
void add_crossing(const Evidence& evidence, const CycleRun& run, CheckReport& report) {
  Points measured, exact;
  for (std::int64_t step = std::max<std::int64_t>(0, run.crossing - 10); step <= run.steps; ++step) {
    const auto x = static_cast<double>(step);
    measured[x] = run.point->at("muon", "excess_loss", step);
    exact[x] = evidence.exact([&]<class Real>(Real) {
      const Real margin = sign_walk<Real>(run.step_size, run.optimum, step);
      return excess_loss_of_margin<Real>(margin, run.classes, run.label_noise);
    });
  }
  report.curve(fmt::format("excess loss at the crossing, α = {:g}, K = {:.3g}, η = {:.4g}", run.label_noise,
                           run.classes, run.step_size),
               "step", {{"measured", measured}, {"closed form", exact}});
}

void judge_noisy(const Evidence& evidence, CheckReport& report) {
  CycleFamilies families;  // of -K and α, by η
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
  const std::size_t fewest = fewest_cycles(families);
  report.assume("every run goes on for three steps beyond m*/η", shortest >= 3,
                fmt::format("the shortest by {:g}", shortest));
  report.assume("three step sizes or more for every α and K", fewest >= 3,
                fmt::format("at least {}", fewest));
  // The exponent is 2 + (π₁ - (1-π₁)) δ/3 at the distance δ, nearer to 2 the smaller η is; the closed form
  // has that too.
  const CycleClaim claim{{.published = 2}, true, "envelope", "η", "½ π₁(1-π₁) η²"};
  for (const auto& [key, family] : families) {
    if (family.size() >= 3)
      judge_family(family, claim, fmt::format("α = {:g}, K = {:.3g}", key.second, -key.first),
                   -key.first > 0.99 * most_classes, report.findings.empty(), report);
  }
  if (families.empty()) return;
  Finding& step =
      report.headline("crossing").at_most("largest |first step with p̂ >= π₁ - ⌈m*/η⌉|", crossing, 1);
  step.sharp = 0.0;
  if (crossing == 0) step.verdict = Verdict::sharp;
  report.finding("stride").at_most(
      "largest | |Δm|/η - 1 | of the alternating margins, as a part of 2(1/C + M/C)", stride, 1);
  report.finding("deviation")
      .at_most("largest |ln(envelope/closed form)| as a part of what 1/C + M/C allows", part, 1);
  report.finding("bound").at_most("largest envelope/excess loss at the distance η from m*", bounded, 1);
  add_crossing(evidence, families.begin()->second.rbegin()->second, report);
}

}  // namespace

CheckRow muon_noisy() {
  return {.id = "li2026/muon-noisy",
          .hypotheses = {orthonormal(), population(), needed(label_noise()), needed(recorded_at_every_step()),
                         equal_groups(), away_from_minimum(), equal_fan_in()},
          .judge = judge_noisy};
}

}  // namespace rarefact::checks::li2026
