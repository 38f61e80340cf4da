#include "theory/margin_paths.hpp"
#include "verify/li2026/muon_runs.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// Deviations of a run's updates from the identity, or from minus the identity past the optimum.
struct Deviations {
  Largest largest;  ///< of the steps before the crossing
  double last = 0;  ///< at the last of them
  Largest past;     ///< the distance of max |msgn - I| from 2 past the optimum
  std::size_t before = 0, after = 0, left_out = 0;  ///< numbers of steps
};

/// Which sign the residual has is known where the walk m ← m + η sign(m* - m) is farther from m* than the
/// margins can be from the walk, 2t(1/C + M/C). Steps nearer to it are left out: there classes of different
/// groups may stand on different sides of m*, and the update is +1 on some and -1 on others.
Deviations deviations_of(const MuonRun& run, double optimum) {
  Deviations deviations;
  for (const std::int64_t step : run.point->result.steps) {
    const double deviation = run.point->at("muon", "update_identity_deviation", step);
    const double climbed = run.time(step);
    const double distance = optimum - sign_walk<double>(run.step_size, optimum, step);
    if (!(std::abs(distance) > 2 * run.bound * std::min(climbed, optimum))) {
      ++deviations.left_out;
    } else if (climbed < optimum) {
      ++deviations.before;
      deviations.last = deviation;
      deviations.largest.add(deviation);
    } else {
      ++deviations.after;
      deviations.past.add(distance > 0 ? deviation : std::abs(deviation - 2));
    }
  }
  return deviations;
}

/// The deviation of runs without noise over C, for one M: order and constant.
void judge_groups(const Evidence& evidence, const std::map<double, MuonRun>& sizes, CheckReport& report) {
  if (sizes.size() < 3) return;
  Points largest, scaled, first, published;
  double constant = 0;
  for (const auto& [size, run] : sizes) {
    const Deviations deviations = deviations_of(run, INFINITY);
    constant = deviation_constant(evidence, *run.point) / run.groups;
    largest[size] = deviations.largest;
    scaled[size] = deviations.last * size;
    first[size] = constant / size;
    published[size] = run.bound;
  }
  const std::string of = fmt::format("M = {:g}", sizes.begin()->second.groups);
  // Rounding of entries near 1 is a part 1e-16 C/constant of the deviation.
  const double rounding = 2e-16 * sizes.rbegin()->first / constant;
  report.finding("order", of, report.curves.empty())
      .exponent("exponent of the deviation in C", largest, -1, 0.002);
  report.finding("constant", of)
      .bounded("C times the deviation at the end", scaled, 0.01, constant, 0.001 + rounding);
  report.curve(fmt::format("largest deviation of a run against C, {}, α = 0", of), "C",
               {{"measured", largest}, {"first update, closed form", first}, {"(1 + M)/C", published}});
}

void judge_preconditioner(const Evidence& evidence, CheckReport& report) {
  std::map<double, std::map<double, MuonRun>> noiseless;  // of M, by C
  Points times_classes;
  Largest part, share, past, first;
  std::size_t before = 0, after = 0, left_out = 0;
  for (const MuonRun& run : mapped(evidence[0], muon_run)) {
    const Deviations deviations = deviations_of(run, optimum_of(evidence, run));
    const double start = run.point->at("muon", "update_identity_deviation", 0);
    part.add(deviations.largest / run.bound);
    share.add(deviations.largest * run.group_size);
    past.add(deviations.past / run.bound);
    first.add(std::abs(start - deviation_constant(evidence, *run.point) / run.classes));
    before += deviations.before;
    after += deviations.after;
    left_out += deviations.left_out;
    if (run.label_noise > 0) continue;
    noiseless[run.groups][run.group_size] = run;
    times_classes[run.groups] = deviations.largest * run.classes;
  }

  report.headline("bound")
      .at_most("largest deviation before the optimum, as a part of 1/C + M/C", part, 1)
      .rule += fmt::format("; {} updates of {} runs", before, evidence[0].size());
  for (const auto& [groups, sizes] : noiseless) judge_groups(evidence, sizes, report);
  // A fit that too few runs leave out decides nothing.
  const std::size_t fits = report.of("order").size();
  report.assume("the runs are enough for the exponent of the deviation in C", fits > 0,
                fmt::format("fits: {}", fits));
  // Entries near 1 are rounded to 1e-16, and so is the difference.
  report.finding("first-update")
      .equals("largest |deviation - closed form| of the first update", first, 0, 4e-15);
  report.finding("sharper-bound")
      .at_most("largest C times the deviation before the optimum", share, 1)
      .published = "<= 1 + M";
  if (times_classes.size() >= 3) {
    Points scaled, exact;
    for (const auto& [groups, one] : times_classes) {
      scaled[groups] = one / groups;
      exact[groups] = deviation_constant(evidence, *noiseless[groups].begin()->second.point) / groups;
    }
    report.finding("order-in-groups")
        .exponent("exponent of C times the deviation in M", scaled,
                  {.kind = judge::ExponentClaim::Kind::at_most,
                   .published = 1,
                   .tolerance = 0,
                   .sharp = judge::fit_of(exact).slope,
                   .sharp_tolerance = 0.005});
  }
  if (after > 0) {
    report.finding("past-optimum")
        .ours()
        .at_most("largest deviation from ±I past the optimum, as a part of 1/C + M/C", past, 1)
        .rule += fmt::format("; {} updates of runs with noise, -I where m > m*", after);
  }
  const auto limit = [](const auto& of) { return fmt::format("{:.3f} at M = {:g}", of.second, of.first); };
  report.note = fmt::format(
      "At the first step the own entries of T are in [0, 1] and all others in [-1, 1], so the deviation is at "
      "most 1/C. {} updates are left out, whose classes may stand on both sides of m*: the statement's "
      "residual has one sign there no more. K times the deviation tends to a constant as M grows: {}.",
      left_out, fmt::join(mapped(times_classes, limit), ", "));
}

}  // namespace

CheckRow preconditioner() {
  return {.id = "li2026/preconditioner",
          .hypotheses = {orthonormal(), population(), equal_fan_in(), equal_groups(),
                         assumed("every class is below its optimal margin")},
          .judge = judge_preconditioner};
}

}  // namespace rarefact::checks::li2026
