#include <fmt/format.h>

#include <cmath>

#include "verify/check_row.hpp"
#include "verify/findings.hpp"
#include "verify/hypotheses.hpp"
#include "verify/judge.hpp"
#include "verify/one_step_evidence.hpp"

namespace rarefact::checks {

namespace {

constexpr const char* mass_key = "classes.head_mass";
/// Exponents are read off where nothing but the leading order is left.
constexpr double large = 1e6, small = 1e-2;

double exact_rho(const Evidence& evidence, const EvidencePoint& point) {
  return in_precision(evidence, [&](auto zero) {
    using Real = decltype(zero);
    return rho_gd<Real>(Real(point.class_total()), Real(probability_ratio(point)),
                        Real(point.experiment.rho_epsilon))
        .value;
  });
}

/// Rounding moves the log-odds, at most ln K = 36, by a few of their last places, and ϱ by 36 times that.
constexpr double rounding = 1e-12;

void compare_with_exact(const Evidence& evidence, CheckReport& report) {
  const char* spectra[] = {"two levels", "many levels"};
  for (std::size_t e = 0; e < 2; ++e) {
    std::vector<double> infimum, threshold, exact;
    for (const EvidencePoint& point : evidence[e]) {
      infimum.push_back(point.at("gd", "rho", 1));
      threshold.push_back(point.at("gd", "rho_at_threshold", 1));
      exact.push_back(exact_rho(evidence, point));
    }
    report.findings.push_back(
        judge::agree(fmt::format("ϱ at the threshold against the exact form, {}", spectra[e]), threshold,
                     exact, rounding));
    report.findings.back().headline = e == 0;
    report.findings.push_back(judge::agree(
        fmt::format("infimum against the value at the threshold, {}", spectra[e]), infimum, threshold, 0));
  }
}

/// ln ϱ = -ln(1 + q), q the odds of the worst class, has slopes -(1-r)(1-ϱ) K/(K-1) in ln K and
/// -r (1-ϱ)/(1-ε) in ln ε: a fit is off by no more than these are at the near end of its range.
void exponents_of_mass(const Evidence& evidence, double mass, CheckReport& report) {
  const std::vector<const EvidencePoint*> points = where(evidence[0], mass_key, mass);
  const double r = probability_ratio(*points.front());
  const double epsilon_of_k = 0.1, most = values_of(evidence[0], count_key).back();
  Points of_k, exact_of_k, ratio, of_epsilon;
  for (const EvidencePoint* point : points) {
    const double epsilon = point->experiment.rho_epsilon, total = point->class_total();
    const double rho = point->at("gd", "rho_at_threshold", 1);
    if (epsilon == epsilon_of_k) {
      of_k[total] = rho;
      exact_of_k[total] = exact_rho(evidence, *point);
      ratio[total] = rho * std::pow(epsilon, r) * std::pow(total, 1 - r);
    }
    if (point->parameter(count_key) == most) of_epsilon[epsilon] = rho;
  }
  report.curves.push_back({.title = fmt::format("ϱ at ε = {:g} against K, r = {:.4g}", epsilon_of_k, r),
                           .x_label = "K",
                           .x = keys(of_k),
                           .series = {{"measured", values(of_k)}, {"exact", values(exact_of_k)}}});

  const std::string of_r = fmt::format(", r = {:.4g}", r);
  const auto exponent = [&](const char* name, const Points& fitted, double published, double off) {
    report.findings.push_back(
        judge::exponent(name + of_r, keys(fitted), values(fitted),
                        {.published = published, .tolerance = off, .sharp_tolerance = off}));
  };
  const Points far = between(of_k, large, most), low = between(of_epsilon, 0, small);
  const bool enough = far.size() >= 3 && low.size() >= 3;
  report.hypotheses.push_back({"three K and three ε where the exponents show" + of_r, enough,
                               fmt::format("{} and {}", far.size(), low.size())});
  if (!enough) return;
  exponent("exponent of ϱ in K", far, r - 1, (1 - r) * far.begin()->second + 1 / large);
  report.findings.back().headline = mass == evidence[0].front().parameter(mass_key);
  exponent("exponent of ϱ in ε", low, -r, r * (low.begin()->second + small) + 1 / large);
  report.findings.push_back(judge::bounded("ϱ / (ε^-r K^(r-1)) at ε = 0.1" + of_r, keys(ratio), values(ratio),
                                           0.01, std::pow(1 - epsilon_of_k, r),
                                           of_k.rbegin()->second + rounding));
}

void judge_one_step_gd(const Evidence& evidence, CheckReport& report) {
  report.hypotheses = {on_all(evidence, hypothesis::orthonormal),
                       on_all(evidence, hypothesis::population_without_noise),
                       hypothesis::two_levels(evidence[0])};
  compare_with_exact(evidence, report);
  for (const double mass : values_of(evidence[0], mass_key)) exponents_of_mass(evidence, mass, report);
  undecide_where_unmet(report);
}

}  // namespace

CheckRow one_step_gd() {
  return {.id = "wang2025/one-step-gd",
          .title = "one step of GD is imbalanced",
          .statement =
              "After one step of gradient descent that retrieves the best class with probability 1-ε, the "
              "worst class is retrieved with probability O(ε^{-r} K^{r-1}), r = min p / max p.",
          .source = "wang2025, Theorem 5.3",
          .hypotheses = {"orthonormal embeddings", "population gradient without label noise",
                         "two levels of p (the exact form needs none)"},
          .predicted = "ϱ = 1/(1 + (K-1)^{1-r} (ε/(1-ε))^r), exact at every K and for every spectrum",
          .measured = "one step on the columns engine; ϱ by a search over step sizes",
          .rule =
              "measured and exact ϱ agree to 1e-12 at every K, ε and spectrum; the exponents are r-1 in K "
              "and -r in ε; ϱ/(ε^-r K^(r-1)) tends to (1-ε)^r",
          .experiments = {{.file = "wang2025/one-step-gd.toml",
                           .quick = {"sweep.classes.count=[30, 3e6, 3e9, 3e15]",
                                     "sweep.run.rho_epsilon=[0.1, 1e-2, 1e-4, 1e-6]",
                                     "sweep.classes.head_mass=[0.8, 0.3]"},
                           .precise = {"sweep.classes.head_mass=[0.8, 0.1]",
                                       "sweep.run.rho_epsilon=[0.1, 1e-2, 1e-4, 1e-6]"}},
                          {.file = "wang2025/one-step-gd-groups.toml",
                           .quick = {"sweep.classes.group_size=[1, 1e14]"},
                           .precise = {"classes.groups=6"}}},
          .judge = judge_one_step_gd};
}

}  // namespace rarefact::checks
