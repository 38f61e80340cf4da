#include "theory/margin_paths.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// The classes of a point at a recorded step against the law L_l τ = 1, τ = p_l t K/(K-1).
struct Approach {
  std::vector<double> probability = {}, loss = {};
  std::vector<double> scaled = {};                      ///< L_l τ - 1, measured
  std::vector<double> derived = {};                     ///< the same to leading order: ξ
  std::vector<double> flow_gap = {}, derived_gap = {};  ///< L_l(flow)/L_l - 1
};

/// t = η x steps.
double time_of(const EvidencePoint& point, std::int64_t step) {
  return point.optimizer("gd").step_size * static_cast<double>(step);
}

/// m of a class under gradient flow.
double margin_at(const Evidence& evidence, const EvidencePoint& point, double probability, double time) {
  return evidence.exact(
      [&]<class Real>(Real) { return flow_margin<Real>(probability, point.class_total(), 0, time); });
}

/// ξ of the rarest class, to leading order m/τ.
double farthest_at(const Evidence& evidence, const EvidencePoint& point, std::int64_t step) {
  double largest = 0;
  const double time = time_of(point, step);
  for (const double p : point.run().class_probability)
    largest = std::max(largest,
                       margin_at(evidence, point, p, time) / (margin_speed(p, point.class_total()) * time));
  return largest;
}

/// e^m + (K-1) m grows by η p K a step of the recursion, and by half of Δm² e^m more for the step's length
/// Δm. Summed,
///     e^m = (K-1) (τ - m + (h/2) ln((K-1+e^m)/K)) + 1,   h = η p K/(K-1),
/// and with L = ln(1 + (K-1) e^-m): L τ = 1 + ξ + O(ξ²), ξ = (m - 1/2 - (h/2) ln((K-1+e^m)/K))/τ.
Approach approach_at(const Evidence& evidence, const EvidencePoint& point, std::int64_t step) {
  Approach at{.probability = point.run().class_probability, .loss = point.classes("gd", "class_loss", step)};
  const double total = point.class_total(), time = time_of(point, step);
  const std::vector<double> flow = point.classes("gd", "class_loss_predicted_flow", step);
  for (std::size_t i = 0; i < at.loss.size(); ++i) {
    const double speed = margin_speed(at.probability[i], total), tau = speed * time;
    const double m = margin_at(evidence, point, at.probability[i], time);
    const double discrete = speed * point.optimizer("gd").step_size / 2 *
                            (std::log((total - 1) / total) + std::log1p(std::exp(m - std::log(total - 1))));
    at.scaled.push_back(at.loss[i] * tau - 1);
    at.derived.push_back((m - 0.5 - discrete) / tau);
    at.flow_gap.push_back(flow[i] / at.loss[i] - 1);
    at.derived_gap.push_back(discrete / tau);
  }
  return at;
}

void add_loss_curve(const EvidencePoint& point, CheckReport& report) {
  const std::vector<double> loss = point.series("gd", "loss"),
                            flow = point.series("gd", "loss_predicted_flow");
  Points measured, predicted, leading;
  for (std::size_t i = 1; i < loss.size(); ++i) {
    const double time = time_of(point, point.result.steps[i]);
    measured[time] = loss[i];
    predicted[time] = flow[i];
    leading[time] = (point.class_total() - 1) / time;
  }
  report.curve(fmt::format("loss against t, K = {:.3g}", point.class_total()), "t",
               {{"measured", measured}, {"gradient flow", predicted}, {"(K-1)/t", leading}});
}

/// The laws of the last steps, of points that go far; false where they do not.
bool judge_exponents(const Evidence& evidence, const EvidencePoints& points, CheckReport& report) {
  Points at_end, constant;  // L t and L t/(K-1), over K
  double largest = 0;
  for (const EvidencePoint& point : points) {
    // What leaps are certified to is a part of L; it tilts a slope over half a decade by no more than ten times that.
    largest = std::max(largest, farthest_at(evidence, point, point.last_step()) +
                                    10 * point.trajectory("gd").fast_forward_error);
    const double total = point.class_total();
    at_end[total] = point.last("gd", "loss") * time_of(point, point.last_step());
    constant[total] = at_end[total] / (total - 1);
  }

  // The exponent in t at the largest K, over the last half decade. Its local slopes are -1 - ξ to leading
  // order, and ξ is largest at the beginning for the rarest classes.
  const EvidencePoint& large = points.back();
  const auto last = static_cast<double>(large.last_step());
  Points in_time, in_probability;
  double start = 0;
  for (const std::int64_t step : large.result.steps) {
    if (static_cast<double>(step) < last / std::sqrt(10)) continue;
    if (in_time.empty()) start = std::max(largest, farthest_at(evidence, large, step));
    in_time[time_of(large, step)] = large.at("gd", "loss", step);
  }
  const std::vector<double> losses = large.classes("gd", "class_loss", large.last_step());
  for (std::size_t i = 0; i < losses.size(); ++i)
    in_probability[large.run().class_probability[i]] = losses[i];
  report.assume("p_l t is well above ln K for every class", start < 0.2,
                fmt::format("m/(p_l t) is at most {:.2g} where exponents are fitted", start));
  const std::size_t fewest = std::min({in_time.size(), at_end.size(), in_probability.size()});
  report.assume(
      "three steps, three K and three groups to fit exponents to", fewest >= 3,
      fmt::format("{} steps, {} K, {} groups", in_time.size(), at_end.size(), in_probability.size()));
  if (fewest < 3) return false;

  const std::string of = fmt::format("K = {:.3g}", large.class_total());
  report.headline("exponent-in-t")
      .exponent("exponent of L in t, " + of, in_time,
                {.published = -1, .tolerance = start, .sharp_tolerance = 0.01});
  // L t = (K-1)(1 + O(ξ)): the first factor bends by 1/K at the smallest K, the second by ξ over the whole
  // range.
  const double least_total = at_end.begin()->first;
  const double bend = (1 / least_total + largest) / std::log(at_end.rbegin()->first / least_total);
  report.headline("exponent-in-k").exponent("exponent of L t in K", at_end, 1, bend);
  report.finding("exponent-in-p")
      .exponent("exponent of L_l in p_l, " + of, in_probability,
                {.published = -1, .tolerance = largest, .sharp_tolerance = 0.01});
  report.finding("constant")
      .agree("L t/(K-1) at the last step against its limit 1", values(constant), 1, largest);
  return true;
}

void judge_gd_noiseless(const Evidence& evidence, CheckReport& report) {
  if (!judge_exponents(evidence, evidence[1], report)) return;
  const EvidencePoints& points = evidence[0];
  std::vector<Approach> ends;
  double largest = 0, last = 0;
  for (const EvidencePoint& point : points) {
    ends.push_back(approach_at(evidence, point, point.last_step()));
    largest = std::max(largest, farthest_at(evidence, point, point.last_step()));
    last = std::max(last, static_cast<double>(point.last_step()));
  }
  // A margin between 32 and 64 is rounded to 7e-15 a step, the prediction is not: a random walk of relative
  // errors.
  report.finding("recursion")
      .agree("loss and class losses against the recursion", losses_beside_predicted(points, "gd"),
             std::max(1e-12, 1e-14 * std::sqrt(last)));
  // To second order both are off by ξ of themselves, and m ~ 10 by O(h²) for the steps before the law, h ~ 1:
  // by a percent.
  const auto derivation = [&](const char* id, const char* words, auto measured, auto derived) {
    const auto of_all = [&](auto member) {
      return collect(ends, [&](const Approach& one) { return one.*member; });
    };
    report.finding(id).agree(words, of_all(measured), of_all(derived), 0.02 + 2 * largest);
  };
  derivation("approach", "approach L_l p_l t K/(K-1) - 1 against (m - 1/2 - (h/2) ln τ)/τ", &Approach::scaled,
             &Approach::derived);
  derivation("flow", "distance of the steps to gradient flow against (h/2) ln τ/τ", &Approach::flow_gap,
             &Approach::derived_gap);
  add_loss_curve(points.back(), report);
}

}  // namespace

CheckRow gd_noiseless() {
  return {.id = "li2026/gd-noiseless",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in(),
                         assumed("p_l t well above ln K")},
          .further = {"li2026/gd-noiseless-far"},
          .judge = judge_gd_noiseless};
}

}  // namespace rarefact::checks::li2026
