#include "verify/sabotage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "experiment/plan.hpp"
#include "verify/claim_judge.hpp"

namespace rarefact {

namespace {

bool green(Verdict verdict) {
  return verdict < Verdict::inconclusive;
}

/// The position of a value: places along the axes of the sweep, then the optimizer, the record and the class row; and how many there
/// are of each.
struct Position {
  std::vector<std::size_t> at, sizes;
};
/// The value at another place; nothing where none is recorded.
using Values = std::function<std::optional<double>(const std::vector<std::size_t>& at)>;
using Change = std::function<double(double value, const Position& place, const Values& values)>;

/// The values of a variable that the points of an experiment have.
Values values_of(const EvidencePoints& points, const std::string& variable) {
  return [&](const std::vector<std::size_t>& at) -> std::optional<double> {
    const std::size_t axes = points.axes.size();
    std::size_t p = 0;
    for (std::size_t a = 0; a < axes; ++a) p = p * points.axes[a].size() + at[a];
    const std::size_t records = points[p].result.steps.size();
    const auto& series = points[p].run().trajectories.at(at[axes]).series;
    const auto found = series.find(variable);
    if (found == series.end()) return {};
    const std::size_t width = found->second.size() / records;
    if (at[axes + 1] >= records || at[axes + 2] >= width) return {};
    return found->second[at[axes + 1] * width + at[axes + 2]];
  };
}

/// f(value) in place of every value that `plain` has of a variable.
void change(const Evidence& plain, Evidence& evidence, const std::string& variable, const Change& f) {
  for (std::size_t e = 0; e < plain.experiments.size(); ++e) {
    const EvidencePoints& points = plain[e];
    const Values values = values_of(points, variable);
    const std::size_t axes = points.axes.size();
    Position place;
    for (const SweepAxis& axis : points.axes) place.sizes.push_back(axis.size());
    place.sizes.resize(axes + 3);
    place.at.resize(axes + 3);
    for (std::size_t p = 0; p < points.size(); ++p) {
      for (std::size_t a = axes, left = p; a-- > 0; left /= place.sizes[a])
        place.at[a] = left % place.sizes[a];
      std::vector<Trajectory>& trajectories = evidence.experiments[e][p].result.runs.front().trajectories;
      place.sizes[axes] = trajectories.size();
      place.sizes[axes + 1] = points[p].result.steps.size();
      for (std::size_t o = 0; o < trajectories.size(); ++o) {
        const auto found = trajectories[o].series.find(variable);
        if (found == trajectories[o].series.end()) continue;
        std::vector<double>& out = found->second;
        const std::size_t width = place.sizes[axes + 2] = out.size() / place.sizes[axes + 1];
        place.at[axes] = o;
        for (std::size_t i = 0; i < out.size(); ++i) {
          place.at[axes + 1] = i / width;
          place.at[axes + 2] = i % width;
          out[i] = f(*values(place.at), place, values);
        }
      }
    }
  }
}

/// Changes of which a finding with this tolerance has to notice at least one.
std::vector<Change> changes(std::size_t dimensions, double factor) {
  std::vector<Change> edits = {[=](double x, const auto&...) { return x * factor; },
                               [=](double x, const auto&...) { return x / factor; }};
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (const double base : {factor, 1 / factor}) {
      edits.push_back([=](double x, const Position& place, const auto&...) {
        return d < place.at.size() ? x * std::pow(base, static_cast<double>(place.at[d])) : x;
      });
    }
  }
  std::vector<Change> all = edits;
  all.push_back([](double, const auto&...) { return 1.0; });
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (const Change& edit : edits) {
      all.push_back([=](double x, const Position& place, const Values& values) {
        const bool last = d < place.at.size() && place.at[d] + 1 == place.sizes[d];
        return last ? edit(x, place, values) : x;
      });
    }
    all.push_back([=](double x, const Position& place, const Values& values) {
      if (d >= place.at.size()) return x;
      std::vector<std::size_t> other = place.at;
      other[d] = place.sizes[d] - 1 - other[d];
      const double there = values(other).value_or(x);
      return std::isnan(there) ? x : there;
    });
  }
  return all;
}

/// The weightiest verdict of the findings of an entry; what cannot be judged is inconclusive.
Verdict verdict_of(const CheckRow& row, const Evidence& evidence, std::size_t number,
                   claims::FindingBasis& basis) {
  CheckReport report;
  try {
    basis = claims::judge_finding(row, evidence, number, report);
  } catch (const InputError&) {
    return Verdict::inconclusive;
  }
  Verdict worst = Verdict::sharp;
  for (const Finding& finding : report.findings) worst = std::max(worst, finding.verdict);
  return worst;
}

}  // namespace

std::vector<std::string> unseen_changes(const CheckRow& row, const Evidence& evidence,
                                        std::optional<std::size_t> number) {
  std::vector<std::string> unseen;
  Evidence changed = evidence;
  std::size_t dimensions = 0;
  for (const EvidencePoints& points : evidence.experiments)
    dimensions = std::max(dimensions, points.axes.size() + 3);
  const std::vector<claims::Entry>& findings = row.claim->findings;
  for (std::size_t i = number.value_or(0); i < (number ? *number + 1 : findings.size()); ++i) {
    claims::FindingBasis basis, other;
    const auto blind = findings[i].labelled("blind");  // a reason, or one for each of some variables
    const auto excused = [&](const std::string& variable) {
      return std::ranges::any_of(
          blind, [&](const auto& item) { return item.first == item.second || item.first == variable; });
    };
    if (!green(verdict_of(row, evidence, i, basis))) continue;
    const double factor = basis.tolerance > 0 || findings[i].has("equals")
                              ? 1 + std::clamp(10 * basis.tolerance, 1e-9, 1e3)
                              : 1000;
    for (const std::string& variable : basis.variables) {
      if (variable.find("_predicted") != std::string::npos || excused(variable)) continue;
      const auto seen = [&](const Change& f) {
        change(evidence, changed, variable, f);
        return !green(verdict_of(row, changed, i, other));
      };
      bool noticed = seen([](double, const auto&...) { return NAN; });
      const std::vector<Change> all = changes(dimensions, factor);
      noticed = noticed && (std::ranges::none_of(claims::relations(),
                                                 [&](const auto& key) { return findings[i].has(key); }) ||
                            std::ranges::any_of(all, seen));
      change(evidence, changed, variable, [](double x, const auto&...) { return x; });
      if (!noticed) unseen.push_back(fmt::format("finding {}: {}", findings[i].text("id"), variable));
    }
  }
  return unseen;
}

namespace {

/// A rule as an experiment has it that says no more than its name.
ParameterValues parameters_of(const std::string& rule) {
  const std::string text = fmt::format(
      "name = \"plain\"\n[classes]\nspectrum = \"uniform\"\ncount = 4\n[run]\nsteps = 1\n[[optimizer]]\nrule = "
      "\"{}\"\nstep_size = 1\n",
      rule);
  return parse_plan(text, "plain.toml").point(0).experiment.optimizers.front().parameters;
}

}  // namespace

std::vector<std::string> unseen_rules(const CheckRow& row, const CheckOptions& options,
                                      const Evidence& evidence) {
  if (row.claim->table->has("blind")) return {};
  std::set<std::string> labels;
  for (const EvidencePoint* point : evidence.points()) {
    for (const OptimizerChoice& choice : point->experiment.optimizers) labels.insert(choice.name);
  }
  std::vector<std::string> unseen;
  for (const std::string& label : labels) {
    bool ran = false, seen = false;
    for (const std::string rule : {"gd", "muon", "signgd"}) {
      CheckOptions other = options;
      bool same = false;
      other.change = [&](Experiment& experiment) {
        for (OptimizerChoice& choice : experiment.optimizers) {
          if (choice.name != label) continue;
          same = same || choice.rule == rule;
          choice.rule = rule;
          choice.parameters = parameters_of(rule);
        }
      };
      try {
        other.threads = 1;
        const Evidence found = gather_evidence(row, other, {}, evidence);
        if (same) continue;
        ran = true;
        seen = !green(judge_check(row, found, true).verdict());
      } catch (const InputError&) {  // a rule that an engine of these runs does not take
        continue;
      }
      if (seen) break;
    }
    if (ran && !seen) unseen.push_back("rule of " + label);
  }
  return unseen;
}

}  // namespace rarefact
