#include "verify/li2026b/spikes.hpp"

namespace rarefact::checks::li2026b {

namespace {

const std::vector<std::string> averages = {"after", "longer"};

/// Largest distance of an average's alignment from the same average of alignments: B_t = (1-μ) Σ μ^i msgn(G_{t-i}).
double nonlinearity(const EvidencePoint& point, const std::string& after) {
  const std::vector<double> one = point.series("polar-only", "alignment"),
                            all = point.series(after, "alignment");
  const double momentum = momentum_of(point, after);
  Largest largest;
  double mean = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    mean = momentum * mean + (1 - momentum) * one[i];
    largest.add(std::abs(all[i] - mean));
  }
  return largest;
}

/// Of a stationary run: what is missing of the average's weights at the start is filled with its mean.
double stationary(const EvidencePoint& point, const std::string& after) {
  return point.last(after, "alignment") /
         (1 - std::pow(momentum_of(point, after), static_cast<double>(point.last_step() + 1)));
}

void judge_order(const Evidence& evidence, CheckReport& report) {
  const auto number = [&](const auto& f) { return collect(evidence[0], f); };
  const std::vector<double> only =
      number([](const auto& point) { return late_mean(point, "polar-only", "alignment", 0); });
  Finding alone = judge::seed_mean("alignment of the polar factor of each batch", only);
  report
      .add("bounded",
           judge::interval_below("0.9 less the alignment of the polar factor of each batch", alone, 0.9),
           true)
      .published = "bounded away from 1";
  for (const std::string& after : averages) {
    Largest largest;
    for (const EvidencePoint& point : evidence[0]) largest.add(nonlinearity(point, after));
    const std::string of = fmt::format("μ = {:g}", momentum_of(evidence[0].front(), after));
    report.add("linear", of,
               judge::equals("alignment of an average less the average of alignments", largest, 0, 1e-9),
               true);
    Finding mean = judge::seed_mean_equals(
        "alignment of momentum after the polar factor",
        number([&](const auto& point) { return stationary(point, after); }), alone.measured, 0.01, 0.1);
    mean.published = "bounded away from 1";
    report.add("after", of, mean, true);
  }
}

}  // namespace

CheckRow order() {
  return {.id = "li2026b/order",
          .hypotheses = {four_seeds(), frozen(), samples(), label_noise(), complete(),
                         needed(recorded_at_every_step())},
          .momentum = true,
          .no_precise_runs = no_digits,
          .judge = judge_order};
}

}  // namespace rarefact::checks::li2026b
