#include "verify/kim2026/capacity.hpp"

#include <numeric>
#include <set>

namespace rarefact::checks::kim2026 {

namespace {

double parameter_or_zero(const Component& component, const std::string& name) {
  return component.parameters.has(name) ? component.parameters.number(name) : 0;
}

HypothesisRow gaussian_embeddings() {
  return {"independent Gaussian embeddings", [](const PointList& points) {
            std::set<std::string> kinds;
            for (const EvidencePoint* point : points) {
              kinds.insert(point->experiment.query_embedding.kind);
              kinds.insert(point->experiment.answer_embedding.kind);
            }
            return hypothesis::Outcome{kinds == std::set<std::string>{"gaussian"},
                                       fmt::format("{}", fmt::join(kinds, ", "))};
          }};
}

HypothesisRow power_law() {
  return {"p_i ∝ i^-a, a > 1", [](const PointList& points) {
            bool met = true;
            std::set<double> found;
            for (const EvidencePoint* point : points) {
              met = met && point->experiment.spectrum.kind == "power_law";
              found.insert(exponent_of(*point));
            }
            return hypothesis::Outcome{met && !found.empty() && *found.begin() > 1,
                                       fmt::format("a = {:g}", fmt::join(found, ", "))};
          }};
}

/// msgn itself wherever the rule is muon: neither a polynomial nor smoothed.
HypothesisRow exact_polar() {
  return hypothesis::every(
      "the exact polar factor",
      [](const EvidencePoint& point) {
        return std::all_of(point.experiment.optimizers.begin(), point.experiment.optimizers.end(),
                           [](const OptimizerChoice& one) {
                             return one.rule != "muon" ||
                                    (one.parameters.all().at("polar") == Value(std::string("exact")) &&
                                     one.parameters.number("smoothing") == 0);
                           });
      },
      "polar = exact, smoothing = 0", "approximate or smoothed");
}

HypothesisRow many_facts() {
  return hypothesis::ranged(
      "many more facts than dimensions",
      [](const EvidencePoint& point) { return point.class_total() / dimension_of(point); },
      [](double least, double) {
        return hypothesis::Outcome{least >= 8, fmt::format("at least {:g} a dimension", least)};
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

/// Runs with one a.
judge::SeedCurves over_dimension(const PointList& points, double a, const std::string& optimizer,
                                 const std::string& variable, std::int64_t step = 1) {
  return seed_curves(points, dimension_of, recorded(optimizer, variable, step), exponent_of, a);
}

/// A variable after the last step over that after the first one, at the largest d.
Finding over_first(const PointList& points, double a, const std::string& variable, const std::string& named,
                   std::int64_t last) {
  const judge::SeedCurves first = over_dimension(points, a, "muon", variable, 1);
  const judge::SeedCurves end = over_dimension(points, a, "muon", variable, last);
  std::vector<double> ratios;
  for (const auto& [seed, curve] : end)
    ratios.push_back(curve.rbegin()->second / first.at(seed).rbegin()->second);
  Finding ratio = seed_mean_finding(fmt::format("{} after step {} over that after step 1, d = {:g}", named,
                                                last, end.begin()->second.rbegin()->first),
                                    ratios);
  ratio.rule += fmt::format(", interval [{:.4g}, {:.4g}]", *ratio.low, *ratio.high);
  return ratio;
}

/// The least and the greatest η/√d are the same positive number.
HypothesisRow root_step_sizes() {
  return hypothesis::ranged(
      "η ∝ √d",
      [](const EvidencePoint& point) {
        return point.optimizer("muon").step_size / std::sqrt(dimension_of(point));
      },
      [](double least, double greatest) {
        return hypothesis::Outcome{greatest <= least * (1 + 1e-9),
                                   fmt::format("η/√d from {:.6g} to {:.6g}", least, greatest)};
      });
}

}  // namespace

double dimension_of(const EvidencePoint& point) {
  return parameter_or_zero(point.experiment.query_embedding, "dimension");
}

double exponent_of(const EvidencePoint& point) {
  return parameter_or_zero(point.experiment.spectrum, "exponent");
}

std::vector<double> distinct(const PointList& points, const Number& number) {
  std::set<double> found;
  for (const EvidencePoint* point : points) found.insert(number(*point));
  return {found.begin(), found.end()};
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
  return [=](const EvidencePoint& point) { return point.at(optimizer, variable, step); };
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

Finding seed_mean_finding(std::string quantity, const std::vector<double>& numbers) {
  const judge::SeedMean mean = judge::seed_mean(numbers);
  return {.quantity = std::move(quantity),
          .measured = mean.mean,
          .low = mean.low,
          .high = mean.high,
          .rule = fmt::format("mean of {} seeds", numbers.size()),
          .verdict = Verdict::evidence};
}

std::string claimed_text(double exponent, const std::string& status) {
  return status.empty() ? fmt::format("{:.4g}", exponent) : fmt::format("{}: {:.4g}", status, exponent);
}

std::vector<HypothesisRow> capacity_hypotheses(const std::vector<HypothesisRow>& of_check) {
  std::vector<HypothesisRow> all = {gaussian_embeddings(), power_law(), many_facts(), exact_polar()};
  all.insert(all.end(), of_check.begin(), of_check.end());
  all.push_back(hypothesis::complete());
  all.push_back({"d → ∞, up to powers of ln d"});
  return all;
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
  report.add(
      "possible-states",
      {.quantity = "states that no W has",
       .measured = impossible,
       .rule = fmt::format(
           "none of {:g}: a whole number of at most K facts, no lighter than the rarest and no heavier "
           "than the most frequent ones as many; soft recovery from mass/K to (1 + mass)/2; a loss of at "
           "least (1 - mass) ln 2",
           states),
       .verdict = impossible == 0 && states > 0 ? Verdict::holds : Verdict::fails});
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
    Finding& fit =
        report.add("capacity", of,
                   judge::evidence_of_exponent(fmt::format("exponent of {}'s count in d", optimizer), counts,
                                               power, claimed_text(power, status)));
    fit.headline = a == 1.5 || all.size() == 1;
    fits[a] = fit;
    const Points mean = mean_over_seeds(counts);
    if (mean.empty()) continue;
    const auto [first_d, first] = *mean.begin();
    report.curves.push_back(
        {.title = fmt::format("facts that {} recovers against d, {}", optimizer, of),
         .x_label = "d",
         .x = keys(mean),
         .series = {{"measured, mean over seeds", values(mean)},
                    {"the power, from the first point", collect(mean, [&](const auto& at) {
                       return first * std::pow(at.first / first_d, power);
                     })}}});
  }
  return fits;
}

void judge_steps(const Evidence& evidence, const std::string& status, CheckReport& report) {
  const PointList points = evidence.of(0);
  const double a = exponent_of(*points.front());
  const std::int64_t last = points.front()->last_step();
  for (std::int64_t t = 1; t <= last; ++t) {
    const double capacity = 2 - std::pow(1 - capacity_of_gd(a), static_cast<double>(t)),
                 decay = (1 - a) * capacity;
    const judge::SeedCurves counts = over_dimension(points, a, "muon", "recovered_count", t);
    const judge::SeedCurves losses = over_dimension(points, a, "muon", "loss", t);
    const std::string of = fmt::format("step {}", t);
    Finding count = judge::evidence_of_exponent("exponent of the count in d", counts, capacity,
                                                claimed_text(capacity, t == 1 ? "" : status));
    count.headline = true;
    if (t == 1)
      report.add("capacity-above-1",
                 judge::interval_above("exponent of the count in d after step 1 above 1, by", count, 1));
    report.add("capacity", of, std::move(count));
    report.add("loss", of,
               judge::evidence_of_exponent(
                   "exponent of the loss in d", losses, decay,
                   status.empty() ? "<= " + claimed_text(decay) : claimed_text(decay, status)));
    const Points facts = mean_over_seeds(counts);
    report.curves.push_back(
        {.title = fmt::format("after step {}, against d", t),
         .x_label = "d",
         .x = keys(facts),
         .series = {{"recovered facts, mean over seeds", values(facts)},
                    {"loss, mean over seeds", values(mean_over_seeds(losses))},
                    {"soft recovery, mean over seeds",
                     values(mean_over_seeds(over_dimension(points, a, "muon", "soft_recovery", t)))}}});
  }
  // Later steps recover more.
  Finding& more = report.add("more-than-at-first", over_first(points, a, "recovered_count", "count", last));
  more.rule += ", has to lie above 1";
  more.verdict = more.low > 1 ? Verdict::holds : Verdict::fails;
  // What is claimed of the loss falls with every step; what is measured need not, as far from d → ∞.
  Finding& loss = report.add("loss-over-first", over_first(points, a, "loss", "loss", last));
  loss.published = status.empty() ? "falls" : status + ": falls";
  loss.rule += loss.low > 1    ? ": it rises"
               : loss.high < 1 ? ": it falls"
                               : ": neither falls nor rises for sure";
  loss.headline = true;
  judge_states(evidence, report);
  report.note = capacity_note;
}

std::vector<HypothesisRow> multi_step_hypotheses(bool thresholded) {
  return capacity_hypotheses(
      {hypothesis::population_without_noise(), hypothesis::gradient(thresholded), root_step_sizes()});
}

const char* const capacity_note =
    "The exponents hold as d → ∞ and up to powers of logarithms, and so nothing is decided at these d: that N "
    "grows as d here, instead of being fixed, alone makes a difference (kim2026/one-step-muon). The polar "
    "factor is exact, the limit λ → 0 of the smoothed one in the paper.";

const char* const no_precise_capacity =
    "Gaussian embeddings need the dense engine; in 50 digits only the symmetric one runs";

}  // namespace rarefact::checks::kim2026
