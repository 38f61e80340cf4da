#include "verify/check.hpp"
#include "verify/wang2025/coupled_signgd.hpp"

namespace rarefact::checks::wang2025 {

namespace {

/// Every class has margin 2η, so ϱ = 1 - ε.
void judge_decoupled(const Evidence& evidence, CheckReport& report) {
  const EvidencePoints& points = evidence[0];
  const auto exact = [&](const auto& point) {
    return evidence.exact([&]<class Real>(Real) { return Real(Real(1) - point.experiment.rho_epsilon); });
  };
  for (const std::string name : {"signgd", "adam"}) {
    const std::string of = name == "adam" ? "Adam's first step" : "";
    const auto deficit = [&](const auto& point) { return 1 + point.at(name, "rho_deficit", 1); };
    Finding& rho = compare_rho(report, points, name, "ϱ against 1-ε", of, exact);
    rho.published = "ϱ = 1-ε";
    rho.headline = name == "signgd";
    report.finding("worst-error", of)
        .agree("error of the worst class over ε", collect(points, deficit), 1, rho_rounding);
    Points shown;
    for (const EvidencePoint* point : where(points, mass_key, points.front().parameter(mass_key))) {
      if (point->experiment.rho_epsilon == 0.1) shown[point->class_total()] = deficit(*point);
    }
    report.curve("(1-ϱ)/ε of " + name + " at ε = 0.1 against K", "K",
                 {{"measured", shown}, {"exact", constant(shown, 1)}});
  }
}

constexpr double published_in_k = -0.3, published_in_epsilon = -0.7;
/// From here on the local slope in K is within 5e-5 of its limit: what is left falls as a power of K. The cut
/// decides digits of the fit: from K = 30, 3e15, 1e60 on it gives -0.3536, -0.3549, -0.3556.
constexpr double limit_from = 1e100;
constexpr double slope_in_k = 1e-4;
/// ln ϱ has the slope -ratio/(1-ε) in ln ε at large K, so a fit below is off by about ratio ε.
constexpr double limit_below = 1e-4;

/// What decides at K = ∞: the orders, and the least margin of a class against an answer of its own block.
struct Limits {
  double in_k, in_epsilon, within;
};

Limits limits_of(const Evidence& evidence, const EvidencePoint& point) {
  const auto number = [&](auto member) {
    return evidence.exact([&]<class Real>(Real) {
      return Real(member(coupled_sign_margins<Real>(block_of<Real>(point, "answer"),
                                                    block_of<Real>(point, "query"), INFINITY)));
    });
  };
  return {-number([](const auto& margins) { return margins.exponent; }),
          -number([](const auto& margins) { return margins.ratio; }),
          number([](const auto& margins) { return margins.within.minCoeff(); })};
}

double rho_of(const EvidencePoint& point) {
  return point.at("signgd", "rho_at_threshold", 1);
}

/// The slopes between neighbouring K at the geometric mean of the two.
Points local_slopes(const Points& of_k) {
  Points slopes;
  for (auto right = std::next(of_k.begin()); right != of_k.end(); ++right) {
    const auto left = std::prev(right);
    slopes[std::sqrt(left->first) * std::sqrt(right->first)] =
        std::log(right->second / left->second) / std::log(right->first / left->first);
  }
  return slopes;
}

void judge_coupled(const Evidence& evidence, CheckReport& report) {
  using Kind = judge::ExponentClaim::Kind;
  const EvidencePoints& points = evidence[0];
  const Limits limits = limits_of(evidence, points.front());

  // ϱ of the first head mass: of K at ε = 0.1, of ε at the largest K; and over the published order, the greatest
  // of all ε.
  Points of_k, of_epsilon;
  std::map<double, Largest> greatest;
  const double most = values_of(points, count_key).back(), first_mass = points.front().parameter(mass_key);
  for (const EvidencePoint* point : where(points, mass_key, first_mass)) {
    const double epsilon = point->experiment.rho_epsilon, total = point->class_total(), rho = rho_of(*point);
    if (epsilon == epsilon_of_k) of_k[total] = rho;
    if (point->parameter(count_key) == most) of_epsilon[epsilon] = rho;
    greatest[total].add(rho / (std::pow(epsilon, published_in_epsilon) * std::pow(total, published_in_k)));
  }
  const Points ratio(greatest.begin(), greatest.end());
  const auto exponent = [&](const char* id, const char* words, const Points& fitted, Kind kind,
                            double published, double sharp, double tolerance) {
    report.headline(id).exponent(
        words, fitted,
        {.kind = kind, .published = published, .tolerance = 0, .sharp = sharp, .sharp_tolerance = tolerance});
  };
  exponent("exponent-in-k", "exponent of ϱ at the threshold in K", between(of_k, limit_from), Kind::at_most,
           published_in_k, limits.in_k, slope_in_k);
  exponent("exponent-in-epsilon", "exponent of ϱ at the threshold in ε", between(of_epsilon, 0, limit_below),
           Kind::at_least, published_in_epsilon, limits.in_epsilon, 2 * limit_below);
  const char* order = "ϱ at the threshold / (ε^-0.7 K^-0.3), greatest over ε";
  report.finding("order").bounded(order, ratio);

  Largest infimum;
  for (const EvidencePoint& point : points) infimum.add(point.at("signgd", "rho", 1));
  Finding& defined = report.headline("infimum").equals("ϱ as defined, greatest over K and ε", infimum, 0, 0);
  defined.published = "O(ε^-0.7 K^-0.3)";
  defined.rule += fmt::format(
      "; a class's margin to a wrong answer of its own block is {:.3g}: as η grows its p̂ tends to 0",
      limits.within);
  // η = ln K/m reaches 350 at K = 3e250, where the logits' last places are 6e-14.
  const auto closed_form = [&](const auto& point) {
    return evidence.exact([&]<class Real>(Real) {
      return rho_of_direction<Real>(
          coupled_sign_direction<Real>(block_of<Real>(point, "answer"), block_of<Real>(point, "query"),
                                       point.class_total()),
          point.experiment.rho_epsilon);
    });
  };
  report.finding("closed-form")
      .agree("ϱ at the threshold against the closed form", collect(points, rho_of),
             collect(points, closed_form), rho_rounding);
  const std::vector<double> masses = values_of(points, mass_key);
  std::vector<double> of_first_mass, of_other_masses;
  for (const double mass : masses) {
    for (const EvidencePoint* point : where(points, mass_key, mass))
      (mass == masses.front() ? of_first_mass : of_other_masses).push_back(rho_of(*point));
  }
  report.finding("masses").agree("ϱ at two head masses", of_first_mass, of_other_masses, rho_rounding);

  report.curve(fmt::format("ϱ at the threshold against K at ε = {:g}", epsilon_of_k), "K",
               {{"measured", of_k}});
  const Points slopes = local_slopes(of_k);
  report.curve(fmt::format("local exponent of ϱ in K at ε = {:g}", epsilon_of_k), "K",
               {{"measured", slopes},
                {"limit", constant(slopes, limits.in_k)},
                {"published", constant(slopes, published_in_k)}});
  report.curve(order, "K", {{"measured", ratio}});
}

}  // namespace

CheckRow one_step_signgd_decoupled() {
  return {.id = "wang2025/one-step-signgd-decoupled",
          .hypotheses = {identity(), population_without_noise(), two_levels()},
          .judge = judge_decoupled};
}

CheckRow one_step_signgd_coupled() {
  return {.id = "wang2025/one-step-signgd-coupled",
          .hypotheses = {rotated_blocks(), population_without_noise(), equal_fan_in(), two_levels()},
          .judge = judge_coupled};
}

}  // namespace rarefact::checks::wang2025
