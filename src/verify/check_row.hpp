#pragma once

/// Statements: their catalogue (files of experiments/theorems with a [claim]), and the running of checks.

#include <filesystem>
#include <limits>

#include "query/evaluate.hpp"
#include "verify/assumptions.hpp"
#include "verify/check_report.hpp"
#include "verify/claim_entry.hpp"

namespace rarefact {

struct CheckExperiment {
  std::string file;  ///< "experiments/theorems/wang2025/one-step-gd.toml"
  std::string text = {};
  std::vector<std::string> quick = {};    ///< overrides of --quick
  std::vector<std::string> precise = {};  ///< overrides of --precision 50, for both of its runs
};

/// An assumption, from the list or of the claim alone. Assumptions without a test are only stated.
struct Assumption {
  claims::Entry entry;
  AssumptionRow row;  ///< without a name if it is the claim's own

  const std::string& text() const { return row.words; }
  bool tested() const { return row.met || !row.holds.empty(); }
};

/// A statement: the [claim] of its file, with those of the files it includes.
struct CheckRow {
  std::string id;  ///< "wang2025/one-step-gd"
  claims::Entry claim;
  query::Definitions defines = {};
  std::vector<Assumption> assumptions = {};
  std::vector<claims::Entry> findings = {}, curves = {};
  std::vector<CheckExperiment> experiments = {};  ///< its own file, then further ones
  bool of_user = false;      ///< not in the catalogue: the verdict names what its findings do not notice
  bool quick_first = false;  ///< judged on its quick grid first, where a mistake is found in seconds

  /// A text of [claim], empty if missing: title (default: the id), statement, source, predicted, method, rule
  /// (of the verdict), note, only_doubles (why its runs cannot be recomputed in 50 digits).
  std::string word(const std::string& key) const;
  /// Indices of the experiments named by the key `of`; by default its own. Throws InputError.
  std::vector<std::size_t> experiments_of(const claims::Entry& entry) const;
};

using ReadText = std::function<std::string(const std::string& file)>;
/// Reads the statement of a file; its further experiments are in the same folder. `read` returns the text of
/// a file. Throws InputError with all errors that the texts alone show, such as a missing [claim].
CheckRow read_claim(const std::string& id, const std::string& file, const ReadText& read);

/// All statements, in the order of their files.
const std::vector<CheckRow>& check_catalogue();

/// The statement with this id. Throws InputError with the nearest id.
const CheckRow& check_row(const std::string& id);

/// Reads the statement of a user's file, and adds it for check_row. Throws FileError; else as read_claim.
const CheckRow& claim_of_file(const std::filesystem::path& path);

/// The files below experiments/theorems/, embedded in the program; std::logic_error for others.
const std::vector<std::string>& embedded_experiments();
const std::string& experiment_text(const std::string& file);

struct CheckOptions {
  bool quick = false;
  bool precise = false;  ///< repeat in 50 digits, and count the correct digits of each number
  int threads = 1;
  /// Applied to every experiment file, as by --set.
  std::vector<std::string> overrides = {};
  double memory_limit = std::numeric_limits<double>::infinity();  ///< bytes available to a run
  std::function<void(Experiment&)> change = {};                   ///< applied to every point before it runs
};

/// Throws InputError if an experiment of a check cannot be read with these options.
void require_plans(const CheckRow& row, const CheckOptions& options);

/// Runs every point of the experiments of a check, with `digits` significant digits on grids that allow 50. Points also in
/// `before` are reused. Throws InputError if an experiment cannot run, which only overrides can cause.
Evidence gather_evidence(const CheckRow& row, const CheckOptions& options,
                         std::optional<std::int64_t> digits = {}, const Evidence& before = {});

/// Tests hypotheses and judges findings, for whatever rules ran. Failures are inconclusive if a hypothesis is not met.
CheckReport judge_check(const CheckRow& row, const Evidence& evidence);

/// Runs and judges a check, reusing points of `before`, which becomes the evidence of this check. Under rules
/// other than the statement's nothing is confirmed, but failures remain failures.
CheckReport run_check(const CheckRow& row, const CheckOptions& options, Evidence& before);

/// Mutation test of a check: "finding rho: update_entropy" for every variable of a passing finding whose values can be
/// wrong without its noticing. It notices if it stops passing when all values are NaN, and under one of these changes:
/// values times or over 1 + δ, δ ten tolerances and at least 1e-9 (for bounds: 1000), or tilted by (1 + δ)^position along
/// an axis, the optimizers, steps or classes; the same for the last of these alone; the opposite order along an axis; all
/// values 1. Findings that state why they are `blind`, or blind to a variable, are skipped. `number`: this finding only.
std::vector<std::string> unseen_changes(const CheckRow& row, const Evidence& evidence,
                                        std::optional<std::size_t> number = {});

/// Sets `unseen` and `vacuous` of a judged report: the measured variables whose changes no passing finding notices,
/// findings that read none, and what was not examined, as it computes at most twice as many numbers as the judgement.
void note_unseen(const CheckRow& row, const Evidence& evidence, CheckReport& report);

/// "rule of plain" for every label under which the statement still passes when the rule is gd, muon or
/// signgd. `evidence` is that of the actual rules. Skips claims that state why they are `blind` to rules.
std::vector<std::string> unseen_rules(const CheckRow& row, const CheckOptions& options,
                                      const Evidence& evidence);

/// A finding that still passes where its file claims another number.
struct FalseCopy {
  std::string finding;
  std::string change;  ///< "equals + 10 %", "at_least + 0.05"; the relation alone if no number is to be met
  std::string tolerance;  ///< the keys that allow it: "plus_minus = 0.1"; may be empty
  std::string reason;     ///< evidence, a bound, or blind = {equals = "..."} of the finding; empty: none
  Verdict verdict;

  /// Must not pass: it holds sharply, or has no reason.
  bool inexcusable() const { return verdict == Verdict::sharp || reason.empty(); }
};

/// What still passes where the expected side of a finding is off by a tenth of itself, or by 0.05 if it is 0 or an exponent
/// (a slope or a quotient of logarithms), either way; bounds are tightened by as much. Needs no run.
std::vector<FalseCopy> false_copies(const CheckRow& row, const Evidence& evidence);

}  // namespace rarefact
