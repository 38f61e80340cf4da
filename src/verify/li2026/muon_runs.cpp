#include "verify/li2026/muon_runs.hpp"

#include "model/margin.hpp"
#include "theory/margin_paths.hpp"
#include "verify/li2026/scaling_laws.hpp"

namespace rarefact::checks::li2026 {

MuonRun muon_run(const EvidencePoint& point) {
  const auto groups = static_cast<double>(point.run().class_count.size());
  const double size = point.run().class_count.front();
  return {.point = &point,
          .groups = groups,
          .group_size = size,
          .classes = point.class_total(),
          .label_noise = point.experiment.label_noise,
          .step_size = point.optimizer("muon").step_size,
          .steps = point.last_step(),
          .bound = (1 + groups) / size};
}

std::vector<double> rate_excesses(const Evidence& evidence, const EvidencePoint& point) {
  std::vector<double> excesses;
  evidence.exact([&]<class Real>(Real) {
    const SymmetricMatrix<Real> direction = muon_direction<Real>(groups_of(point));
    const Real total(point.class_total());
    for (Index i = 0; i < direction.structure().groups(); ++i)
      excesses.push_back(
          static_cast<double>(Real((Real(1) + direction.other(i, i)(0, 0) * total) / (total - Real(1)))));
    return Real(0);
  });
  return excesses;
}

double optimum_of(const Evidence& evidence, const MuonRun& run) {
  if (run.label_noise <= 0) return INFINITY;
  return evidence.exact([&]<class Real>(Real) { return optimal_margin<Real>(run.classes, run.label_noise); });
}

double CycleRun::envelope() const {
  return std::max(point->at("muon", "excess_loss", steps), point->at("muon", "excess_loss", steps - 1));
}

double CycleRun::allowed() const {
  const double off = 2 * bound * optimum;
  return off < farther / 2 ? 2 * off / (farther - off) + logit_rounding / farther : INFINITY;
}

CycleRun cycle_run(const Evidence& evidence, const EvidencePoint& point) {
  CycleRun run{muon_run(point)};
  run.optimum = optimum_of(evidence, run);
  run.crossing = static_cast<std::int64_t>(std::ceil(run.optimum / run.step_size));
  evidence.exact([&]<class Real>(Real) {
    const Real classes(run.classes), noise(run.label_noise), step_size(run.step_size);
    const Real optimum = optimal_margin<Real>(classes, noise);
    const Real below = optimum - sign_walk<Real>(step_size, optimum, run.crossing - 1);
    const Real above = optimum - sign_walk<Real>(step_size, optimum, run.crossing);
    const auto excess = [&](const Real& distance) {
      return static_cast<double>(excess_at_distance<Real>(distance, classes, noise));
    };
    run.farther = std::max(static_cast<double>(below), -static_cast<double>(above));
    run.exact = std::max(excess(below), excess(above));
    const CycleBound<Real> bound = cycle_excess_bound<Real>(step_size, classes, noise);
    run.limit = static_cast<double>(bound.exact);
    run.leading = static_cast<double>(bound.leading);
    return Real(0);
  });
  run.bend = run.farther * std::abs(1 - 2 * run.label_noise) / 3;
  return run;
}

void judge_falling(const std::string& prefix, const std::string& of, bool headline,
                   const std::string& exponent, const std::string& scaled, const Points& falling,
                   double constant, double time, CheckReport& report) {
  const double least_size = falling.begin()->first, most_size = falling.rbegin()->first;
  const double bend = (time / least_size + 0.01) / std::log(most_size / least_size);
  report.finding(prefix + "order", of, headline).exponent(exponent, falling, -1, bend);
  Points times_size = falling;
  for (auto& [size, one] : times_size) one *= size;
  report.finding(prefix + "constant", of).bounded(scaled, times_size, 0.02, constant * most_size, 0.01);
}

std::size_t fewest_cycles(const CycleFamilies& families) {
  std::size_t fewest = families.empty() ? 0 : families.begin()->second.size();
  for (const auto& [key, family] : families) fewest = std::min(fewest, family.size());
  return fewest;
}

double judge_family(const CycleFamily& family, const CycleClaim& claim, const std::string& of, bool sharp,
                    bool headline, CheckReport& report) {
  Points envelope, exact, leading, ratio;
  CycleRun finest = family.begin()->second;
  judge::ExponentClaim exponent = claim.exponent;
  double allowed = 0;
  exponent.tolerance = 0;
  for (const auto& [x, run] : family) {
    envelope[x] = run.envelope();
    exact[x] = run.exact;
    leading[x] = run.leading;
    ratio[claim.of_step_size ? 1 / x : x] = run.envelope() / run.leading;
    exponent.tolerance = std::max(exponent.tolerance, run.bend);
    allowed = std::max(allowed, run.allowed());
    if (run.step_size < finest.step_size) finest = run;
  }
  if (sharp) {
    exponent.sharp = judge::fit_of(exact).slope;
    exponent.sharp_tolerance = allowed;
  }
  report.finding("exponent", of, headline)
      .exponent(fmt::format("exponent of the {} in {}", claim.quantity, claim.x), envelope, exponent);
  if (!sharp) return allowed;
  report.finding("closed-form", of, headline && claim.of_step_size)
      .agree(claim.quantity + " against the closed form of the cycle", values(envelope), values(exact),
             allowed);
  const double share = finest.farther / finest.step_size;
  report.finding("leading-order", of)
      .bounded(
          fmt::format("{}/({}){}", claim.quantity, claim.leading, claim.of_step_size ? " as η falls" : ""),
          ratio, exponent.tolerance, share * share, 1.1 * finest.bend + allowed);
  report.curve(fmt::format("larger excess loss of two steps against {}, {}", claim.x, of), claim.x,
               {{"measured", envelope}, {"closed form", exact}, {claim.leading, leading}});
  return allowed;
}

HypothesisRow away_from_minimum() {
  return {
      "no point of a cycle is near the minimum: m*/η at least 0.1 away from a whole number and margins off "
      "by less than that distance",
      [](const PointList& points) {
        double least = 0.5, widest = 0;
        for (const EvidencePoint* point : points) {
          const MuonRun run = muon_run(*point);
          if (run.label_noise <= 0) continue;
          const double offset = cycle_offset<double>(run.step_size, run.classes, run.label_noise);
          least = std::min(least, offset);
          widest = std::max(widest, 2 * run.bound * optimal_margin<double>(run.classes, run.label_noise) /
                                        (offset * run.step_size));
        }
        return hypothesis::Outcome{
            least >= 0.1 && widest < 1,
            fmt::format("m*/η at least {:.3g} away; 2 m* (1/C + M/C) at most {:.2g} of the distance", least,
                        widest)};
      }};
}

}  // namespace rarefact::checks::li2026
