#pragma once

#include <functional>

#include "verify/check_row.hpp"

namespace rarefact {

struct CheckOptions {
  bool quick = false;
  bool precise = false;  ///< everything again in 50 digits, and how many digits of each number are right
  int threads = 1;
  /// Put over every experiment file, as --set does. What a test of a check makes wrong.
  std::vector<std::string> overrides = {};
};

/// Runs the experiments of a check: every point of every plan. Errors: InputError where an experiment cannot
/// run, which only overrides can bring about.
Evidence gather_evidence(const CheckRow& row, const CheckOptions& options);

/// Hypotheses tested and findings judged. Where a hypothesis is not met, what fails is inconclusive.
CheckReport judge_check(const CheckRow& row, const Evidence& evidence);

/// Runs and judges a check.
CheckReport run_check(const CheckRow& row, const CheckOptions& options);

/// -log10 |measured/exact - 1|, at most 17; 0 where that is no number and the two differ.
double right_digits(double measured, double exact);

}  // namespace rarefact
