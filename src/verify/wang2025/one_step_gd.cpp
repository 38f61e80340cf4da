#include "verify/check.hpp"

namespace rarefact::checks::wang2025 {

namespace {

/// Exponents are read off where nothing but the leading order is left.
constexpr double large = 1e6, small = 1e-2;
constexpr double epsilon_of_k = 0.1;

/// ln ϱ = -ln(1 + q), q the odds of the worst class, has slopes -(1-r)(1-ϱ) K/(K-1) in ln K and
/// -r (1-ϱ)/(1-ε) in ln ε: a fit is off by no more than these are at the near end of its range.
void judge_mass(const EvidencePoints& all, double mass,
                const std::function<double(const EvidencePoint&)>& exact, CheckReport& report) {
  const PointList points = where(all, mass_key, mass);
  const double r = probability_ratio(*points.front());
  const double most = values_of(all, count_key).back();
  Points of_k, exact_of_k, ratio, of_epsilon;
  for (const EvidencePoint* point : points) {
    const double epsilon = point->experiment.rho_epsilon, total = point->class_total();
    const double rho = point->at("gd", "rho_at_threshold", 1);
    if (epsilon == epsilon_of_k) {
      of_k[total] = rho;
      exact_of_k[total] = exact(*point);
      ratio[total] = rho * std::pow(epsilon, r) * std::pow(total, 1 - r);
    }
    if (point->parameter(count_key) == most) of_epsilon[epsilon] = rho;
  }
  const std::string of = fmt::format("r = {:.4g}", r);
  report.curve(fmt::format("ϱ at ε = {:g} against K, {}", epsilon_of_k, of), "K",
               {{"measured", of_k}, {"exact", exact_of_k}});

  const Points far = between(of_k, large, most), low = between(of_epsilon, 0, small);
  const bool enough = far.size() >= 3 && low.size() >= 3;
  report.assume("three K and three ε where the exponents show, " + of, enough,
                fmt::format("{} and {}", far.size(), low.size()));
  if (!enough) return;
  const auto claim = [](double published, double off) {
    return judge::ExponentClaim{.published = published, .tolerance = off, .sharp_tolerance = off};
  };
  report.add(
      "exponent-in-k", of,
      judge::exponent("exponent of ϱ in K", far, claim(r - 1, (1 - r) * far.begin()->second + 1 / large)),
      mass == all.front().parameter(mass_key));
  report.add(
      "exponent-in-epsilon", of,
      judge::exponent("exponent of ϱ in ε", low, claim(-r, r * (low.begin()->second + small) + 1 / large)));
  report.add("order", of,
             judge::bounded("ϱ / (ε^-r K^(r-1)) at ε = 0.1", ratio, 0.01, std::pow(1 - epsilon_of_k, r),
                            of_k.rbegin()->second + rho_rounding));
}

void judge(const Evidence& evidence, CheckReport& report) {
  const auto exact = [&](const EvidencePoint& point) {
    return in_precision(evidence, [&]<class Real>(Real) {
      return rho_gd<Real>(Real(point.class_total()), Real(probability_ratio(point)),
                          Real(point.experiment.rho_epsilon))
          .value;
    });
  };
  const char* words = "ϱ at the threshold against the exact form";
  compare_rho(report, evidence[0], "gd", words, "two levels", exact).headline = true;
  compare_rho(report, evidence[1], "gd", words, "many levels", exact);
  for (const double mass : values_of(evidence[0], mass_key)) judge_mass(evidence[0], mass, exact, report);
}

}  // namespace

CheckRow one_step_gd() {
  return {.id = "wang2025/one-step-gd",
          .hypotheses = {hypothesis::orthonormal(), hypothesis::population_without_noise(),
                         hypothesis::on(0, hypothesis::two_levels())},
          .further = {"wang2025/one-step-gd-groups"},
          .judge = judge};
}

}  // namespace rarefact::checks::wang2025
