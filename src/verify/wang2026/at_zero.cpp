#include "theory/sharpness.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::wang2026 {

namespace {

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
