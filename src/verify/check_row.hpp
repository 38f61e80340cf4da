#pragma once

/// The catalogue of published statements, each with the experiment that tests it and the rule of its verdict.

#include <string>
#include <vector>

#include "verify/evidence.hpp"
#include "verify/finding.hpp"

namespace rarefact {

/// An experiment file of a check, below experiments/. Its text is part of the program.
struct CheckExperiment {
  std::string file;                       ///< "wang2025/one-step-gd.toml"
  std::vector<std::string> quick = {};    ///< what --quick puts over it, as --set does
  std::vector<std::string> precise = {};  ///< what --precision 50 puts over it for both of its runs
};

struct CheckRow {
  std::string id = {};                       ///< "wang2025/one-step-gd"
  std::string title = {};                    ///< a few words, for tables
  std::string statement = {};                ///< as published, in a sentence or two
  std::string source = {};                   ///< "wang2025, Theorem 5.3"
  std::vector<std::string> hypotheses = {};  ///< of the statement, in words
  std::string predicted = {};                ///< the quantity and its closed form
  std::string measured = {};                 ///< how it is measured
  std::string rule = {};                     ///< of the verdict
  std::vector<CheckExperiment> experiments = {};
  /// The statement is on the gradient that recovered facts drop out of.
  bool thresholded = false;
  /// Why its runs cannot be recomputed in 50 digits; empty where they can.
  std::string no_precise_runs = {};
  /// Fills in hypotheses, findings and curves. Depends on the evidence alone.
  void (*judge)(const Evidence& evidence, CheckReport& report) = nullptr;
};

/// In the order of docs/theory.md.
const std::vector<CheckRow>& check_catalogue();

/// The row of an id; InputError with the nearest id otherwise.
const CheckRow& check_row(const std::string& id);

/// The text of an experiment of the catalogue; std::logic_error for another file.
const std::string& experiment_text(const std::string& file);

}  // namespace rarefact
