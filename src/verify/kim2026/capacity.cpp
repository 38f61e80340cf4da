#include "verify/kim2026/capacity.hpp"

#include <numeric>

namespace rarefact::checks::kim2026 {

namespace {

double parameter_or_zero(const Component& component, const std::string& name) {
  return component.parameters.has(name) ? component.parameters.number(name) : 0;
}

/// msgn itself wherever the rule is muon: neither a polynomial nor smoothed.
bool exact_polar(const EvidencePoint& point) {
  return std::ranges::all_of(point.experiment.optimizers, [](const OptimizerChoice& one) {
    return one.rule != "muon" || (one.parameters.all().at("polar") == Value(std::string("exact")) &&
                                  one.parameters.number("smoothing") == 0);
  });
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

void judge_states(const Evidence& evidence, CheckReport& report) {
  double impossible = 0, states = 0;
  for (const EvidencePoint* point : evidence.all()) {
    const bool noise = point->experiment.label_noise > 0;
    for (const Trajectory& one : point->run().trajectories) {
      for (const std::int64_t step : point->result.steps) {
        const auto at = [&](const char* variable) { return point->at(one.optimizer, variable, step); };
        const Recovery seen{at("recovered_count"), at("recovered_weight"), at("soft_recovery"), at("loss")};
        ++states;
        if (!possible(seen, point->run().class_probability, noise)) ++impossible;
      }
    }
  }
  report.finding("possible-states")
      .is({.quantity = "states that no W has",
           .measured = impossible,
           .rule = fmt::format(
               "none of {:g}: a whole number of at most K facts, no lighter than the rarest and no heavier "
               "than the most frequent ones as many; soft recovery from mass/K to (1 + mass)/2; a loss of at "
               "least (1 - mass) ln 2",
               states),
           .verdict = impossible == 0 && states > 0 ? Verdict::holds : Verdict::fails});
}

constexpr const char* capacity_note =
    "The exponents hold as d → ∞ and up to powers of logarithms, and so nothing is decided at these d: that N "
    "grows as d here, instead of being fixed, alone makes a difference (kim2026/one-step-muon). The polar "
    "factor is exact, the limit λ → 0 of the smoothed one in the paper.";

}  // namespace

double dimension_of(const EvidencePoint& point) {
  return parameter_or_zero(point.experiment.query_embedding, "dimension");
}

double exponent_of(const EvidencePoint& point) {
  return parameter_or_zero(point.experiment.spectrum, "exponent");
}

judge::SeedCurves seed_curves(const PointList& points, const Number& x, const Number& y, const Number& group,
                              double value) {
  judge::SeedCurves curves;
  for (const EvidencePoint* point : points) {
    if (group(*point) == value) curves[point->experiment.seed][x(*point)] = y(*point);
  }
  return curves;
}

Number recorded(const std::string& optimizer, const std::string& variable, std::int64_t step) {
  return [=](const auto& point) { return point.at(optimizer, variable, step); };
}

judge::SeedCurves over_dimension(const PointList& points, double a, const std::string& optimizer,
                                 const std::string& variable, std::int64_t step) {
  return seed_curves(points, dimension_of, recorded(optimizer, variable, step), exponent_of, a);
}

std::string claimed_text(double exponent, const std::string& status) {
  return status.empty() ? fmt::format("{:.4g}", exponent) : fmt::format("{}: {:.4g}", status, exponent);
}

CheckRow capacity_check(CheckRow own) {
  std::vector<HypothesisRow> all = {
      of_embeddings("independent Gaussian embeddings",
                    [](const Component& side) { return side.kind == "gaussian"; }),
      listed(
          "p_i ∝ i^-a, a > 1",
          [](const auto& point) {
            return point.experiment.spectrum.kind == "power_law" && exponent_of(point) > 1;
          },
          [](const auto& point) { return std::set{exponent_of(point)}; }, "a = {:g}"),
      ranged(
          "many more facts than dimensions",
          [](const auto& point) { return point.class_total() / dimension_of(point); },
          "at least {:g} a dimension", [](double least, double) { return least >= 8; }),
      equal_fan_in(),
      every("the exact polar factor", exact_polar, "polar = exact, smoothing = 0",
            "approximate or smoothed")};
  all.insert(all.end(), own.hypotheses.begin(), own.hypotheses.end());
  all.push_back(complete());
  all.push_back({"d → ∞, up to powers of ln d"});
  own.hypotheses = all;
  own.no_precise_runs = "Gaussian embeddings need the dense engine; in 50 digits only the symmetric one runs";
  own.judge = [judge = own.judge](const Evidence& evidence, CheckReport& report) {
    judge(evidence, report);
    judge_states(evidence, report);
    report.note += capacity_note;
  };
  return own;
}

std::map<double, Finding> judge_capacity(const PointList& points, const std::string& optimizer,
                                         double (*claimed)(double a), const std::string& status,
                                         CheckReport& report) {
  const std::vector<double> all = distinct(points, exponent_of);
  std::map<double, Finding> fits;
  for (const double a : all) {
    const double power = claimed(a);
    const std::string of = fmt::format("a = {:g}", a);
    const judge::SeedCurves counts = over_dimension(points, a, optimizer, "recovered_count");
    fits[a] = report.finding("capacity", of, a == 1.5 || all.size() == 1)
                  .evidence_of_exponent(fmt::format("exponent of {}'s count in d", optimizer), counts, power,
                                        claimed_text(power, status));
    const Points mean = judge::mean_over_seeds(counts);
    if (mean.empty()) continue;
    const auto [first_d, first] = *mean.begin();
    const auto d_of = [](const auto& at) { return at.first; };
    report.curve(fmt::format("facts that {} recovers against d, {}", optimizer, of), "d",
                 {{"measured, mean over seeds", mean},
                  {"the power, from the first point",
                   over(mean, d_of, [&, first = first, first_d = first_d](const auto& at) {
                     return first * std::pow(at.first / first_d, power);
                   })}});
  }
  return fits;
}

}  // namespace rarefact::checks::kim2026
