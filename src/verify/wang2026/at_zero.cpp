#include "model/embedding.hpp"
#include "model/quadrature_rule.hpp"
#include "theory/sharpness.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::wang2026 {

namespace {

constexpr double rounding = 1e-12;

bool is_identity(const EvidencePoint& point) {
  return embedding_row(point.experiment.query_embedding.kind).identity &&
         embedding_row(point.experiment.answer_embedding.kind).identity;
}

void judge_first_sharpness(const Evidence& evidence, CheckReport& report) {
  const std::pair<const char*, double FirstSharpness::*> rules[] = {
      {"gd", &FirstSharpness::gd}, {"muon", &FirstSharpness::muon}, {"signgd", &FirstSharpness::sign}};
  for (const auto& [name, member] : rules) {
    const std::string rule = name;
    Comparison sharpness, effective;
    for (const EvidencePoint* point : evidence.all()) {
      const Run& run = point->run();
      if (rule != "signgd" || is_identity(*point))
        sharpness.add(point->at(rule, "nds", 0),
                      first_sharpness(run.class_count, run.class_probability).*member);
      effective.add(point->at(rule, "nds_effective", 0), 1 / std::pow(point->class_total(), 2));
    }
    report.headline("nds", rule)
        .agree("nds of the first update against its closed form", sharpness, rounding);
    if (rule == "signgd")
      report.finding("effective", rule)
          .agree("nds_effective of the first update against 1/K²", effective, rounding);
  }
}

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
  report.headline("ratio").agree(
      "nds of gd over that of muon against its closed form",
      collect(evidence.all(), [&](const EvidencePoint* point) { return ratio(*point); }),
      collect(evidence.all(), [](const EvidencePoint* point) { return exact_ratio(*point); }), 1e-9);
  std::vector<std::pair<std::string, Points>> curves;
  for (const double s : values_of(evidence[0], "classes.exponent")) {
    const std::string of = fmt::format("s = {:g}", s);
    const auto of_points = [](const Number& number) {
      return [number](const EvidencePoint* point) { return number(*point); };
    };
    const Points points =
        over(where(evidence[0], "classes.exponent", s), of_points(classes), of_points(ratio));
    curves.push_back({of, points});
    report.headline("exponent", of)
        .ours()
        .exponent("exponent of the ratio in K", between(points, 1e12, 1e15), exponent_of(s), 0.01);
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
  report.finding("growth").at_least(
      fmt::format("least growth of the ratio from one s to the next, K = {:g}", most), least, 1);
}

/// nds of the first update of SignGD over that of Muon, one number a seed.
std::vector<double> ratios(const EvidencePoints& points, const std::string& kind) {
  std::vector<double> all;
  for (const EvidencePoint& point : points) {
    if (point.experiment.query_embedding.kind == kind && point.experiment.answer_embedding.kind == kind)
      all.push_back(point.at("signgd", "nds", 0) / point.at("muon", "nds", 0));
  }
  return all;
}

/// nds of the first update of SignGD with Haar embeddings over its limit, one number a seed.
std::vector<double> beside_limit(const EvidencePoints& points) {
  std::vector<double> all;
  for (const EvidencePoint& point : points) {
    if (point.experiment.query_embedding.kind == "orthogonal")
      all.push_back(point.at("signgd", "nds", 0) /
                    first_sharpness_of_haar_sign(point.run().class_count, point.run().class_probability));
  }
  return all;
}

void judge_embeddings(const Evidence& evidence, CheckReport& report) {
  const char* spectra[] = {"power law", "two levels"};
  for (std::size_t e = 0; e < 2; ++e) {
    const std::string of = spectra[e];
    const Finding mean =
        judge::seed_mean("nds of signgd over that of muon, Haar", ratios(evidence[e], "orthogonal"));
    report.headline("haar", of)
        .interval_above("nds of signgd over that of muon above 1, Haar embeddings, by", mean, 1);
    report.headline("limit", of)
        .seed_mean_equals("nds of signgd over its limit of many classes, Haar embeddings",
                          beside_limit(evidence[e]), 1, 2 / evidence[e].front().class_total(), 0.15);
    report.headline("identity", of)
        .ours()
        .at_most("nds of signgd over that of muon, identity embeddings",
                 ratios(evidence[e], "identity").front(), 1);
  }
}

}  // namespace

CheckRow nds_at_zero() {
  return {.id = "wang2026/nds-at-zero",
          .hypotheses = {of_embeddings("identity embeddings, or one rotation of every block of classes",
                                       [](const Component& side) {
                                         const EmbeddingRow& row = embedding_row(side.kind);
                                         return row.identity || row.block;
                                       }),
                         every(
                             "the classes of a rotated block equally likely",
                             [](const EvidencePoint& point) {
                               constexpr double block = 3;
                               return is_identity(point) ||
                                      std::ranges::all_of(point.run().class_count, [](double count) {
                                        return std::fmod(count, block) == 0;
                                      });
                             },
                             "all runs", "not in every run"),
                         population_without_noise(), equal_fan_in()},
          .further = {"wang2026/nds-at-zero-groups", "wang2026/nds-at-zero-blocks"},
          .judge = judge_first_sharpness};
}

CheckRow imbalance() {
  return {.id = "wang2026/imbalance",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in()},
          .no_precise_runs = "classes that all differ are for quadrature, which is in doubles",
          .judge = judge_imbalance};
}

CheckRow embeddings() {
  const auto kinds = [](const EvidencePoint& point) {
    return std::set<std::string>{point.experiment.query_embedding.kind};
  };
  return {.id = "wang2026/embeddings",
          .hypotheses = {orthonormal(), population_without_noise(), equal_fan_in(),
                         needed({"Haar and identity embeddings, both spectra",
                                 [=](const PointList& points) {
                                   std::set<std::string> seen;
                                   for (const EvidencePoint* point : points) seen.merge(kinds(*point));
                                   return Outcome{seen.contains("orthogonal") && seen.contains("identity"),
                                                  fmt::format("{}", fmt::join(seen, ", "))};
                                 }}),
                         ranged(
                             "unequal classes",
                             [](const EvidencePoint& point) { return probability_ratio(point); },
                             "min p / max p up to {1:.3g}", [](double, double most) { return most < 0.2; })},
          .further = {"wang2026/embeddings-two-levels"},
          .no_precise_runs = "Haar embeddings are dense, which is in doubles",
          .judge = judge_embeddings};
}

}  // namespace rarefact::checks::wang2026
