#pragma once

/// The catalogue of published statements, each with the experiment that tests it and the rule of its verdict.

#include <string>
#include <vector>

#include "verify/evidence.hpp"
#include "verify/finding.hpp"
#include "verify/hypotheses.hpp"

namespace rarefact {

/// An experiment file of a check, below experiments/. Its text is part of the program.
struct CheckExperiment {
  std::string file;                       ///< "wang2025/one-step-gd.toml"
  std::vector<std::string> quick = {};    ///< what --quick puts over it, as --set does
  std::vector<std::string> precise = {};  ///< what --precision 50 puts over it for both of its runs
};

/// A statement and how it is judged. Its words stand in the header of its first experiment, which is
/// experiments/<id>.toml: one place for whoever reads the file and whoever asks the program.
struct CheckRow {
  std::string id = {};                         ///< "wang2025/one-step-gd"
  std::vector<HypothesisRow> hypotheses = {};  ///< of the statement and of its measurement
  std::vector<std::string> further =
      {};  ///< experiments beside that of the id: "wang2025/one-step-gd-groups"
  /// The statement is on the gradient that recovered facts drop out of.
  bool thresholded = false;
  /// Why its runs cannot be recomputed in 50 digits; empty where they can.
  std::string no_precise_runs = {};
  /// Adds findings and curves. Depends on the evidence alone.
  void (*judge)(const Evidence& evidence, CheckReport& report) = nullptr;

  // From the headers.
  std::vector<CheckExperiment> experiments = {};  ///< Quick: and In 50 digits: of each
  std::string title = {};                         ///< Title: a few words, for tables
  std::string statement = {};                     ///< Claim: as published, in a sentence or two
  std::string source = {};                        ///< Source: "wang2025, Theorem 5.3"
  std::string predicted = {};                     ///< Predicted: the quantity and its closed form
  std::string measured = {};                      ///< Measured: how it is measured
  std::string rule = {};                          ///< Judged by: of the verdict
  std::string note = {};  ///< Note: what a reader has to know, unless the judge says it
};

/// In the order of docs/theory.md.
const std::vector<CheckRow>& check_catalogue();

/// The row of an id; InputError with the nearest id otherwise.
const CheckRow& check_row(const std::string& id);

/// The text of an experiment of the catalogue; std::logic_error for another file.
const std::string& experiment_text(const std::string& file);

/// What follows "# Tag: " in the header of an experiment, with its further lines, which are indented, once for
/// every time that the tag is there.
std::vector<std::string> header_texts(const std::string& experiment, const std::string& tag);

}  // namespace rarefact
