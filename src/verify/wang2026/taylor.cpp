#include "verify/check.hpp"

namespace rarefact::checks::wang2026 {

namespace {

struct Terms {
  double gain = 0, penalty = 0, remainder = 0;
};

/// Of W = 0, from the columns of the direction as they are written: every p̂ is 1/K.
Terms terms_of(const SymmetricMatrix<double>& logits, const std::vector<double>& p, double step_size) {
  const GroupStructure& s = logits.structure();
  const double total = s.total(GroupStructure::Side::rows);
  Terms terms;
  for (Index l = 0; l < s.groups(); ++l) {
    const double own = logits.own(l)(0, 0), count = s.count[l];
    const auto mean = [&](auto f) {
      double sum = f(own);
      for (Index k = 0; k < s.groups(); ++k)
        sum += (s.count[k] - (k == l ? 1 : 0)) * f(logits.other(k, l)(0, 0));
      return sum / total;
    };
    const double middle = mean([](double x) { return x; });
    const double variance = mean([&](double x) { return (x - middle) * (x - middle); });
    const double moved = std::log(mean([&](double x) { return std::exp(step_size * (x - middle)); }));
    const double mass = count * p[l], penalty = step_size * step_size * variance / 2;
    terms.gain += mass * step_size * (own - middle);
    terms.penalty += mass * penalty;
    terms.remainder += mass * (moved - penalty);
  }
  return terms;
}

/// What the first updates add to the logits for η = 1: the gradient's diag(p) - 1pᵀ/K, and msgn.
SymmetricMatrix<double> first_update(const EvidencePoint& point, const std::string& rule) {
  const ClassGroups groups = groups_of(point);
  SymmetricMatrix<double> update = muon_direction<double>(groups);
  if (rule == "muon") return update;
  const double total = point.class_total();
  for (Index l = 0; l < update.structure().groups(); ++l) {
    const double p = groups.probability[l];
    update.own(l)(0, 0) = p - p / total;
    for (Index k = 0; k < update.structure().groups(); ++k) update.other(k, l)(0, 0) = -p / total;
  }
  return update;
}

void judge_taylor(const Evidence& evidence, CheckReport& report) {
  for (const std::string rule : {"gd", "muon"}) {
    Comparison first;
    Largest broken;
    for (const EvidencePoint& point : evidence[0]) {
      const Terms terms =
          terms_of(first_update(point, rule), point.run().class_probability, point.optimizer(rule).step_size);
      first.add(point.at(rule, "first_order_gain", 0), terms.gain);
      first.add(point.at(rule, "curvature_penalty", 0), terms.penalty);
      first.add(point.at(rule, "taylor_remainder", 0), terms.remainder);
      const std::vector<double> loss = point.series(rule, "loss"),
                                gain = point.series(rule, "first_order_gain"),
                                penalty = point.series(rule, "curvature_penalty"),
                                remainder = point.series(rule, "taylor_remainder");
      for (std::size_t t = 0; t + 1 < loss.size(); ++t)
        broken.add(std::abs(loss[t + 1] - loss[t] + gain[t] - penalty[t] - remainder[t]));
    }
    report.headline("terms", rule)
        .agree("gain, penalty and remainder of the first update against their closed forms", first, 1e-11);
    report.headline("sum", rule)
        .ours()
        .at_most("largest |L(W - ηD) - L(W) + gain - penalty - remainder| of all updates", broken, 1e-13);
  }
}

}  // namespace

CheckRow taylor() {
  return {.id = "wang2026/taylor",
          .hypotheses = {identity(), population_without_noise(), equal_fan_in(), complete(),
                         recorded_at_every_step()},
          .judge = judge_taylor};
}

}  // namespace rarefact::checks::wang2026
