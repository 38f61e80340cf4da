#pragma once

/// Evidence and reports of the quick grids, made once for all tests of this program, and what tests do to them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "verify/check_row.hpp"

namespace tampered {

using namespace rarefact;
using Words = std::vector<std::string>;

/// As the experiments give it. Statements share the points of an experiment that several of them have.
inline const Evidence& quick_evidence(const std::string& id) {
  static std::map<std::string, Evidence> of_check;
  static std::map<std::string, EvidencePoints> of_file;
  if (of_check.contains(id)) return of_check.at(id);
  const CheckRow& row = check_row(id);
  Evidence evidence;
  for (const CheckExperiment& experiment : row.experiments) {
    if (!of_file.contains(experiment.file)) {
      CheckRow one = row;
      one.experiments = {experiment};
      of_file[experiment.file] = gather_evidence(one, {.quick = true, .threads = 2})[0];
    }
    evidence.experiments.push_back(of_file.at(experiment.file));
  }
  return of_check[id] = std::move(evidence);
}

/// With overrides, in experiment number `which` alone where that is one. Points that they do not change are not run again.
inline Evidence quick_evidence(const std::string& id, const Words& overrides, int which = -1) {
  const CheckOptions options{.quick = true, .threads = 2, .overrides = overrides};
  if (which < 0) return gather_evidence(check_row(id), options, {}, quick_evidence(id));
  Evidence evidence = quick_evidence(id);
  CheckRow one = check_row(id);
  const auto number = static_cast<std::size_t>(which);
  one.experiments = {one.experiments.at(number)};
  evidence.experiments[number] = gather_evidence(one, options)[0];
  return evidence;
}

inline CheckReport judged(const std::string& id, const Evidence& evidence) {
  return judge_check(check_row(id), evidence);
}

inline const CheckReport& quick_report(const std::string& id) {
  static std::map<std::string, CheckReport> reports;
  if (!reports.contains(id)) reports[id] = judged(id, quick_evidence(id));
  return reports.at(id);
}

/// The verdict of the findings of an id, as CheckReport::of: the worst of them. There is one at least.
inline Verdict verdict_of(const CheckReport& report, const std::string& id) {
  Verdict worst = Verdict::sharp;
  const std::vector<const Finding*> found = report.of(id);
  for (const Finding* finding : found) worst = std::max(worst, finding->verdict);
  return found.empty() ? Verdict::inconclusive : worst;
}

/// Where a recorded value stands.
struct At {
  const EvidencePoint& point;     ///< as the experiment gave it
  std::size_t number, optimizer;  ///< of the point and of the trajectory
  const std::string& variable;
  const std::vector<double>& values;
  std::size_t width, index;  ///< classes, place in `values`

  const Trajectory& trajectory() const { return point.run().trajectories[optimizer]; }
  std::size_t row() const { return index % width; }
  std::int64_t step() const { return point.result.steps[index / width]; }
  double steps() const { return static_cast<double>(step()); }
  bool last() const { return step() == point.last_step(); }
  /// The value of the same class as many records earlier.
  double earlier(std::size_t records) const { return values[index - records * width]; }
};

using Change = std::function<double(double value, const At& at)>;

/// Quick evidence with f(value) in place of every value of a variable, in all experiments or in one.
inline Evidence changed(const std::string& id, int experiment, const std::string& variable, const Change& f) {
  const Evidence& plain = quick_evidence(id);
  Evidence evidence = plain;
  std::size_t found = 0;
  for (std::size_t e = 0; e < plain.experiments.size(); ++e) {
    for (std::size_t p = 0; (experiment < 0 || e == std::size_t(experiment)) && p < plain[e].size(); ++p) {
      const EvidencePoint& point = plain[e][p];
      for (std::size_t o = 0; o < point.run().trajectories.size(); ++o) {
        const auto& series = point.run().trajectories[o].series;
        if (!series.contains(variable)) continue;
        ++found;
        const std::vector<double>& values = series.at(variable);
        const std::size_t width = values.size() / point.result.steps.size();
        auto& out = evidence.experiments[e][p].result.runs.front().trajectories[o].series.at(variable);
        for (std::size_t i = 0; i < values.size(); ++i)
          out[i] = f(values[i], At{point, p, o, variable, values, width, i});
      }
    }
  }
  REQUIRE(found > 0);
  return evidence;
}

}  // namespace tampered
