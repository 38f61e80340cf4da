#pragma once

/// Evidence and reports of the quick grids, made once for all tests of this program.

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

/// As the experiments give it. Statements share the points of an experiment that several of them have, and of two experiments
/// that are run one after the other the second shares the points of the first.
inline const Evidence& quick_evidence(const std::string& id) {
  static std::map<std::string, Evidence> of_check;
  static std::map<std::string, EvidencePoints> of_file;
  static Evidence last;
  if (of_check.contains(id)) return of_check.at(id);
  const CheckRow& row = check_row(id);
  Evidence evidence;
  for (const CheckExperiment& experiment : row.experiments) {
    if (!of_file.contains(experiment.file)) {
      CheckRow one = row;
      one.experiments = {experiment};
      last = gather_evidence(one, {.quick = true, .threads = 2}, {}, last);
      of_file[experiment.file] = last[0];
    }
    evidence.experiments.push_back(of_file.at(experiment.file));
  }
  return of_check[id] = std::move(evidence);
}

/// With overrides. Points that they do not change are not run again.
inline Evidence quick_evidence(const std::string& id, const Words& overrides) {
  const CheckOptions options{.quick = true, .threads = 2, .overrides = overrides};
  return gather_evidence(check_row(id), options, {}, quick_evidence(id));
}

inline const CheckReport& quick_report(const std::string& id) {
  static std::map<std::string, CheckReport> reports;
  if (!reports.contains(id)) reports[id] = judge_check(check_row(id), quick_evidence(id));
  return reports.at(id);
}

}  // namespace tampered
