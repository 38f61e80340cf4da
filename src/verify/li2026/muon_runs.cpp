#include "verify/li2026/muon_runs.hpp"

#include "model/margin.hpp"
#include "theory/power_fit.hpp"
#include "theory/scaling_laws.hpp"
#include "theory/sign_walk.hpp"

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
          .bound = preconditioner_bound<double>(groups, size)};
}

std::vector<MuonRun> muon_runs(const EvidencePoints& points) {
  std::vector<MuonRun> runs;
  for (const EvidencePoint& point : points) runs.push_back(muon_run(point));
  return runs;
}

std::vector<double> rate_excesses(const Evidence& evidence, const EvidencePoint& point) {
  std::vector<double> excesses;
  in_precision(evidence, [&]<class Real>(Real) {
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
  return in_precision(evidence, [&]<class Real>(Real) {
    return optimal_margin<Real>(Real(run.classes), Real(run.label_noise));
  });
}

double CycleRun::envelope() const {
  return std::max(point->at("muon", "excess_loss", steps), point->at("muon", "excess_loss", steps - 1));
}

double CycleRun::allowed() const {
  const double off = 2 * bound * optimum, distance = farther();
  return off < distance / 2 ? 2 * off / (distance - off) + logit_rounding / distance : INFINITY;
}

CycleRun cycle_run(const Evidence& evidence, const EvidencePoint& point) {
  CycleRun run{muon_run(point)};
  run.optimum = optimum_of(evidence, run);
  run.crossing = static_cast<std::int64_t>(std::ceil(run.optimum / run.step_size));
  in_precision(evidence, [&]<class Real>(Real) {
    const Real classes(run.classes), noise(run.label_noise), step_size(run.step_size);
    const Real optimum = optimal_margin<Real>(classes, noise);
    const Real below = optimum - sign_walk<Real>(step_size, optimum, run.crossing - 1);
    const Real above = optimum - sign_walk<Real>(step_size, optimum, run.crossing);
    const auto excess = [&](const Real& distance) {
      return static_cast<double>(excess_at_distance<Real>(distance, classes, noise));
    };
    run.below = static_cast<double>(below);
    run.above = -static_cast<double>(above);
    run.exact = std::max(excess(below), excess(above));
    const CycleBound<Real> bound = cycle_excess_bound<Real>(step_size, classes, noise);
    run.limit = static_cast<double>(bound.exact);
    run.leading = static_cast<double>(bound.leading);
    return Real(0);
  });
  run.bend = run.farther() * std::abs(1 - 2 * run.label_noise) / 3;
  return run;
}

CycleFamily::CycleFamily(const std::map<double, CycleRun>& runs) : finest(runs.begin()->second) {
  for (const auto& [at, run] : runs) {
    x.push_back(at);
    envelope.push_back(run.envelope());
    exact.push_back(run.exact);
    leading.push_back(run.leading);
    bend = std::max(bend, run.bend);
    allowed = std::max(allowed, run.allowed());
    if (run.step_size < finest.step_size) finest = run;
  }
}

judge::ExponentClaim CycleFamily::claim(judge::ExponentClaim::Kind kind, double published, bool sharp) const {
  judge::ExponentClaim claim{.kind = kind, .published = published, .tolerance = bend};
  if (sharp) {
    claim.sharp = fit_power(x, exact).slope;
    claim.sharp_tolerance = allowed;
  }
  return claim;
}

Finding CycleFamily::judge_leading(const std::string& words, bool x_is_step_size) const {
  Points ratio;
  for (std::size_t i = 0; i < x.size(); ++i)
    ratio[x_is_step_size ? 1 / x[i] : x[i]] = envelope[i] / leading[i];
  const double share = finest.farther() / finest.step_size;
  return judge::bounded(words, ratio, bend, share * share, 1.1 * finest.bend + allowed);
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
