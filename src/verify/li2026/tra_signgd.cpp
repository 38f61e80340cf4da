#include "model/margin.hpp"
#include "theory/margin_paths.hpp"
#include "verify/li2026/muon_runs.hpp"
#include "verify/li2026/scaling_laws.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// The largest |difference| of ln(wrong/right) of a class under the two rules; infinite where one is no
/// number. The odds are e/p̂. Without noise -ln p̂ is the class loss; with noise p̂ = 1 - e keeps its digits
/// where e is about α. A ratio of errors keeps digits that a difference of logarithms loses.
double difference_at(const EvidencePoint& point, std::int64_t step) {
  const std::vector<double> sign = point.classes("tra_signgd", "error", step),
                            muon = point.classes("muon", "error", step),
                            sign_loss = point.classes("tra_signgd", "class_loss", step),
                            muon_loss = point.classes("muon", "class_loss", step);
  Largest largest;
  for (std::size_t i = 0; i < sign.size(); ++i) {
    const double right = point.experiment.label_noise > 0 ? std::log1p((muon[i] - sign[i]) / (1 - muon[i]))
                                                          : muon_loss[i] - sign_loss[i];
    largest.add(std::abs(std::log1p((muon[i] - sign[i]) / sign[i]) + right));
  }
  return largest;
}

/// The walk of tra_signgd with its stride 2η.
struct SignWalk {
  double stride = 0, optimum = INFINITY;
  std::int64_t last_climbing = 0;  ///< the last step before a margin passes m*
  /// Margins that differ by 2m*(1/C + M/C) take the same side of m* at every step.
  bool same_sides = true;
};

SignWalk sign_walk_of(const Evidence& evidence, const MuonRun& run) {
  SignWalk walk{.stride = 2 * run.point->optimizer("tra_signgd").step_size, .last_climbing = run.steps};
  if (run.label_noise <= 0) return walk;
  walk.optimum = optimum_of(evidence, run);
  walk.last_climbing =
      std::min(run.steps, static_cast<std::int64_t>(std::ceil(walk.optimum / walk.stride)) - 1);
  const double offset = cycle_offset<double>(walk.stride, run.classes, run.label_noise) * walk.stride;
  walk.same_sides = 2 * run.bound * walk.optimum < offset;
  return walk;
}

/// The largest relative distance of tra_signgd's class errors from those of margins 2ηt and of the cycle.
double oracle_deviation(const Evidence& evidence, const MuonRun& run, const SignWalk& walk) {
  Largest largest;
  for (const std::int64_t step : run.point->result.steps) {
    const double exact = evidence.exact([&]<class Real>(Real) {
      const Real optimum = optimal_margin<Real>(run.classes, run.label_noise);
      return error_of_margin<Real>(sign_walk<Real>(walk.stride, optimum, step), run.classes);
    });
    for (const double error : run.point->classes("tra_signgd", "error", step))
      largest.add(std::abs(error / exact - 1));
  }
  return largest;
}

void judge_tra_signgd(const Evidence& evidence, CheckReport& report) {
  const std::vector<MuonRun> runs = mapped(evidence[0], muon_run);
  double fewest = INFINITY, latest = 0;
  for (const MuonRun& run : runs) fewest = std::min(fewest, run.groups);
  Largest oracle, climbing, cycling;
  std::size_t cycles = 0;
  std::map<double, Points> differences;  // of α, by C
  std::map<double, double> constants;
  for (const MuonRun& run : runs) {
    const SignWalk walk = sign_walk_of(evidence, run);
    const double time = walk.stride * static_cast<double>(walk.last_climbing);
    const double difference = difference_at(*run.point, walk.last_climbing);
    const double allowed = 2 * run.bound * time + logit_rounding;
    oracle.add(oracle_deviation(evidence, run, walk));
    climbing.add(difference / allowed);
    for (std::int64_t step = walk.last_climbing + 1; walk.same_sides && step <= run.steps; ++step) {
      cycling.add(difference_at(*run.point, step) / allowed);
      ++cycles;
    }
    if (run.groups != fewest) continue;
    Points& of_noise = differences[run.label_noise];
    of_noise[run.group_size] = difference / time;
    latest = std::max(latest, time);
    if (of_noise.rbegin()->first != run.group_size) continue;
    Largest drift;  // of any margin from ηt, over t
    for (const double one : rate_excesses(evidence, *run.point)) drift.add(std::abs(one));
    constants[run.label_noise] = drift;
  }
  for (const auto& [noise, difference] : differences) {
    if (difference.size() < 3) continue;
    const std::string of = fmt::format("α = {:g}, M = {:g}", noise, fewest);
    judge_falling("", of, true, "exponent of the difference in C", "C times the difference over t",
                  difference, constants[noise], latest, report);
    const double first = constants[noise] * difference.rbegin()->first;
    report.curve("largest |ln odds(muon) - ln odds(tra_signgd)|/t against C, " + of, "C",
                 {{"measured", difference},
                  {"first step, closed form",
                   over(keys(difference), std::identity(), [=](double size) { return first / size; })}});
  }
  // Logits of order 50 are rounded to 1e-14; so are errors relative to themselves, a few times over.
  const bool alone = report.findings.empty();
  report.finding("oracle", "", alone)
      .equals("largest relative distance of tra_signgd's errors from margins 2ηt", oracle, 0, logit_rounding);
  report.finding("climb").at_most(
      "largest |ln odds(muon) - ln odds(tra_signgd)| at the end of the climb, as a part of "
      "2t(1/C + M/C)",
      climbing, 1);
  if (cycles > 0) {
    report.finding("cycle").at_most("the same on the cycle around m*", cycling, 1).rule +=
        fmt::format("; {} steps of the runs where all margins are on one side of m*", cycles);
  }
}

}  // namespace

CheckRow tra_signgd() {
  return {.id = "li2026/tra-signgd",
          .hypotheses = {orthonormal(), population(), equal_fan_in(), equal_groups(),
                         needed(recorded_at_every_step())},
          .judge = judge_tra_signgd};
}

}  // namespace rarefact::checks::li2026
