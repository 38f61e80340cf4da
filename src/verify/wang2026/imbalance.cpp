#include "model/quadrature_rule.hpp"
#include "theory/sharpness.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::wang2026 {

namespace {

/// Of a power law: sums over all classes by the panel rule, whose nodes are not those of the runs.
double exact_ratio(const EvidencePoint& point) {
  const double s = point.parameter("classes.exponent");
  const QuadratureRule rule = panel_rule(point.parameter(count_key), usual_panel_order);
  std::vector<double> probability;
  double total = 0;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    probability.push_back(std::pow(rule.rank[i], -s));
    total += rule.count[i] * probability.back();
  }
  for (double& p : probability) p /= total;
  const FirstSharpness exact = first_sharpness(rule.count, probability);
  return exact.gd / exact.muon;
}

/// Of K Σp³/Σp² in K.
double exponent_of(double s) {
  if (s < 1.0 / 3) return 0;
  if (s < 0.5) return 3 * s - 1;
  return std::min(s, 1.0);
}

void judge_imbalance(const Evidence& evidence, CheckReport& report) {
  const Number ratio = [](const auto& point) {
    return point.at("gd", "nds", 0) / point.at("muon", "nds", 0);
  };
  const Number classes = [](const auto& point) { return point.parameter(count_key); };
  report.add(
      "ratio",
      judge::agree("nds of gd over that of muon against its closed form",
                   collect(evidence.all(), [&](const EvidencePoint* point) { return ratio(*point); }),
                   collect(evidence.all(), [](const EvidencePoint* point) { return exact_ratio(*point); }),
                   1e-9),
      true);
  std::vector<std::pair<std::string, Points>> curves;
  for (const double s : values_of(evidence[0], "classes.exponent")) {
    const std::string of = fmt::format("s = {:g}", s);
    const auto of_points = [](const Number& number) {
      return [number](const EvidencePoint* point) { return number(*point); };
    };
    const Points points =
        over(where(evidence[0], "classes.exponent", s), of_points(classes), of_points(ratio));
    curves.push_back({of, points});
    Finding& finding = report.add("exponent", of,
                                  judge::exponent("exponent of the ratio in K", between(points, 1e12, 1e15),
                                                  {.published = exponent_of(s),
                                                   .tolerance = 0.01,
                                                   .sharp = exponent_of(s),
                                                   .sharp_tolerance = 0.01}),
                                  true);
    finding.published = "";
  }
  report.curve("nds of gd over that of muon at W = 0", "K", curves);
  // At one K, over s: what the paper says of Zipf's exponent.
  const double most = values_of(evidence[0], count_key).back();
  const std::vector<double> over_s = values(over(
      where(evidence[0], count_key, most),
      [](const EvidencePoint* point) { return point->parameter("classes.exponent"); },
      [&](const EvidencePoint* point) { return ratio(*point); }));
  double least = INFINITY;
  for (std::size_t i = 1; i < over_s.size(); ++i) least = std::min(least, over_s[i] / over_s[i - 1]);
  report.add("growth",
             judge::at_least(fmt::format("least growth of the ratio from one s to the next, K = {:g}", most),
                             least, 1));
}

}  // namespace

CheckRow imbalance() {
  return {.id = "wang2026/imbalance",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in()},
          .judge = judge_imbalance};
}

}  // namespace rarefact::checks::wang2026
