#include "verify/check.hpp"

namespace rarefact::checks::wang2025 {

namespace {

/// Exponents are read off where nothing but the leading order is left.
constexpr double large = 1e6, small = 1e-2;

/// ln ϱ = -ln(1 + q), q the odds of the worst class, has slopes -(1-r)(1-ϱ) K/(K-1) in ln K and
/// -r (1-ϱ)/(1-ε) in ln ε: a fit is off by no more than these are at the near end of its range.
void judge_mass(const EvidencePoints& all, double mass, const Number& exact, CheckReport& report) {
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
  const auto exponent = [&](const char* id, const char* words, const Points& fitted, double published,
                            double off, bool headline) {
    report.finding(id, of, headline)
        .exponent(words, fitted, {.published = published, .tolerance = off, .sharp_tolerance = off});
  };
  exponent("exponent-in-k", "exponent of ϱ in K", far, r - 1, (1 - r) * far.begin()->second + 1 / large,
           mass == all.front().parameter(mass_key));
  exponent("exponent-in-epsilon", "exponent of ϱ in ε", low, -r,
           r * (low.begin()->second + small) + 1 / large, false);
  report.finding("order", of)
      .bounded("ϱ / (ε^-r K^(r-1)) at ε = 0.1", ratio, 0.01, std::pow(1 - epsilon_of_k, r),
               of_k.rbegin()->second + rho_rounding);
}

void judge_gd(const Evidence& evidence, CheckReport& report) {
  const auto exact = [&](const auto& point) {
    return evidence.exact([&]<class Real>(Real) {
      return rho_gd<Real>(point.class_total(), probability_ratio(point), point.experiment.rho_epsilon).value;
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
          .hypotheses = {orthonormal(), population_without_noise(), on(0, two_levels())},
          .further = {"wang2025/one-step-gd-groups"},
          .judge = judge_gd};
}

}  // namespace rarefact::checks::wang2025
