#include "verify/capacity_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace rarefact::checks {

namespace {

double parameter_or_zero(const Component& component, const std::string& name) {
  return component.parameters.has(name) ? component.parameters.number(name) : 0;
}

Hypothesis gaussian_embeddings(const Evidence& evidence) {
  std::set<std::string> kinds;
  for (const EvidencePoints& points : evidence.experiments) {
    for (const EvidencePoint& point : points) {
      kinds.insert(point.experiment.query_embedding.kind);
      kinds.insert(point.experiment.answer_embedding.kind);
    }
  }
  return {"independent Gaussian embeddings", kinds == std::set<std::string>{"gaussian"},
          fmt::format("{}", fmt::join(kinds, ", "))};
}

Hypothesis power_law(const Evidence& evidence) {
  bool met = true;
  std::set<double> found;
  for (const EvidencePoints& points : evidence.experiments) {
    for (const EvidencePoint& point : points) {
      met = met && point.experiment.spectrum.kind == "power_law";
      found.insert(exponent_of(point));
    }
  }
  return {"p_i ∝ i^-a, a > 1", met && !found.empty() && *found.begin() > 1,
          fmt::format("a = {:g}", fmt::join(found, ", "))};
}

/// msgn itself wherever the rule is muon: neither a polynomial nor smoothed.
Hypothesis exact_polar(const Evidence& evidence) {
  bool met = true;
  for (const EvidencePoints& points : evidence.experiments) {
    for (const EvidencePoint& point : points) {
      for (const OptimizerChoice& one : point.experiment.optimizers) {
        if (one.rule != "muon") continue;
        const auto& polar = one.parameters.all().at("polar");
        met = met && polar == Value(std::string("exact")) && one.parameters.number("smoothing") == 0;
      }
    }
  }
  return {"the exact polar factor", met, met ? "polar = exact, smoothing = 0" : "approximate or smoothed"};
}

Hypothesis many_facts(const Evidence& evidence) {
  constexpr double enough = 8;
  double least = std::numeric_limits<double>::infinity();
  for (const EvidencePoints& points : evidence.experiments) {
    for (const EvidencePoint& point : points)
      least = std::min(least, point.class_total() / dimension_of(point));
  }
  return {"many more facts than dimensions", least >= enough,
          fmt::format("at least {:g} a dimension", least)};
}

/// What is recorded of a state with W = anything.
struct Recovery {
  double count = 0, mass = 0, soft = 0, loss = 0;
};

/// Whether all four can be of one state: bounds that every W keeps, to the rounding of sums.
bool possible(const Recovery& seen, const std::vector<double>& probability, bool noise) {
  const double total = static_cast<double>(probability.size()), rounding = 1e-9;
  if (!(seen.count >= 0 && seen.count <= total && seen.count == std::floor(seen.count))) return false;
  const auto number = static_cast<std::ptrdiff_t>(seen.count);
  // Most frequent first.
  const double most = std::accumulate(probability.begin(), probability.begin() + number, 0.0);
  const double least = std::accumulate(probability.end() - number, probability.end(), 0.0);
  if (!(seen.mass >= least - rounding && seen.mass <= most + rounding)) return false;
  // A recovered fact has p̂ > 1/K, another one p̂ <= 1/2.
  if (!(seen.soft >= seen.mass / total - rounding && seen.soft <= (1 + seen.mass) / 2 + rounding))
    return false;
  return noise || seen.loss >= (1 - seen.mass) * std::log(2.0) - rounding;
}

}  // namespace

double dimension_of(const EvidencePoint& point) {
  return parameter_or_zero(point.experiment.query_embedding, "dimension");
}

double exponent_of(const EvidencePoint& point) {
  return parameter_or_zero(point.experiment.spectrum, "exponent");
}

std::vector<double> exponents_of(const EvidencePoints& points) {
  std::set<double> found;
  for (const EvidencePoint& point : points) found.insert(exponent_of(point));
  return {found.begin(), found.end()};
}

judge::SeedCurves seed_curves(const EvidencePoints& points, const Number& x, const Number& y,
                              const std::function<bool(const EvidencePoint&)>& which) {
  judge::SeedCurves curves;
  for (const EvidencePoint& point : points) {
    if (which(point)) curves[point.experiment.seed][x(point)] = y(point);
  }
  return curves;
}

judge::SeedCurves over_dimension(const EvidencePoints& points, double a, const std::string& optimizer,
                                 const std::string& variable, std::int64_t step) {
  return seed_curves(
      points, dimension_of, [&](const EvidencePoint& point) { return point.at(optimizer, variable, step); },
      [&](const EvidencePoint& point) { return exponent_of(point) == a; });
}

Points mean_over_seeds(const judge::SeedCurves& curves) {
  std::map<double, std::vector<double>> at;
  for (const auto& [seed, curve] : curves) {
    for (const auto& [x, y] : curve) at[x].push_back(y);
  }
  Points mean;
  for (const auto& [x, numbers] : at) mean[x] = judge::seed_mean(numbers).mean;
  return mean;
}

double capacity_of_steps(double a, std::int64_t steps) {
  return 2 - std::pow(1 - capacity_of_gd(a), static_cast<double>(steps));
}

std::string claimed_text(double exponent, const std::string& status) {
  return status.empty() ? fmt::format("{:.4g}", exponent) : fmt::format("{}: {:.4g}", status, exponent);
}

std::vector<Hypothesis> capacity_hypotheses(const Evidence& evidence, bool population) {
  std::vector<Hypothesis> all = {gaussian_embeddings(evidence), power_law(evidence), many_facts(evidence),
                                 exact_polar(evidence)};
  if (population) all.push_back(on_all(evidence, hypothesis::population_without_noise));
  all.push_back(on_all(evidence, hypothesis::complete));
  return all;
}

Finding possible_states(const Evidence& evidence) {
  double impossible = 0, states = 0;
  for (const EvidencePoints& points : evidence.experiments) {
    for (const EvidencePoint& point : points) {
      const bool noise = point.experiment.label_noise > 0;
      for (const Trajectory& one : point.run().trajectories) {
        for (const std::int64_t step : point.result.steps) {
          const auto at = [&](const char* variable) { return point.at(one.optimizer, variable, step); };
          const Recovery seen{at("recovered_count"), at("recovered_weight"), at("soft_recovery"), at("loss")};
          ++states;
          if (!possible(seen, point.run().class_probability, noise)) ++impossible;
        }
      }
    }
  }
  return {.quantity = "states that no W has",
          .measured = impossible,
          .rule = fmt::format(
              "none of {:g}: a whole number of at most K facts, no lighter than the rarest and no heavier "
              "than the "
              "most frequent ones as many; soft recovery from mass/K to (1 + mass)/2; a loss of at least "
              "(1 - mass) ln 2",
              states),
          .verdict = impossible == 0 && states > 0 ? Verdict::holds : Verdict::fails};
}

std::vector<Finding> judge_capacity(const EvidencePoints& points, const std::string& optimizer,
                                    const std::function<double(double)>& claimed, const std::string& status,
                                    CheckReport& report) {
  const std::vector<double> all = exponents_of(points);
  std::vector<Finding> fits;
  for (const double a : all) {
    const judge::SeedCurves counts = over_dimension(points, a, optimizer, "recovered_count");
    Finding fit =
        judge::evidence_of_exponent(fmt::format("exponent of {}'s count in d, a = {:g}", optimizer, a),
                                    counts, claimed(a), claimed_text(claimed(a), status));
    fit.headline = a == 1.5 || all.size() == 1;
    fits.push_back(fit);
    report.findings.push_back(std::move(fit));
    const Points mean = mean_over_seeds(counts);
    if (mean.empty()) continue;
    const auto& [first_d, first] = *mean.begin();
    std::vector<double> power;
    for (const auto& [d, count] : mean) power.push_back(first * std::pow(d / first_d, claimed(a)));
    report.curves.push_back({.title = fmt::format("facts that {} recovers against d, a = {:g}", optimizer, a),
                             .x_label = "d",
                             .x = keys(mean),
                             .series = {{"measured, mean over seeds", values(mean)},
                                        {"the power, from the first point", power}}});
  }
  return fits;
}

const char* const capacity_note =
    "The exponents hold as d → ∞ and up to powers of logarithms, and so nothing is decided at these d: that "
    "N grows "
    "as d here, instead of being fixed, alone makes a difference (kim2026/one-step-muon). The polar factor "
    "is exact, "
    "the limit λ → 0 of the smoothed one in the paper.";

const char* const no_precise_capacity =
    "Gaussian embeddings need the dense engine; in 50 digits only the symmetric one runs";

}  // namespace rarefact::checks
