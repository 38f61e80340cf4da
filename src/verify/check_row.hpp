#pragma once

/// Statements: the catalogue of them, files of experiments/theorems that have a [claim], and the running of a check.

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/syntax.hpp"
#include "verify/assumptions.hpp"
#include "verify/check_report.hpp"
#include "verify/claim_entry.hpp"

namespace rarefact {

/// An experiment of a check, with the text of its file.
struct CheckExperiment {
  std::string file;  ///< "experiments/theorems/wang2025/one-step-gd.toml"
  std::string text = {};
  std::vector<std::string> quick = {};    ///< what --quick puts over it, as --set does
  std::vector<std::string> precise = {};  ///< what --precision 50 puts over it for both of its runs
};

/// A name of [claim.define].
struct Define {
  Syntax tree;
  claims::Entry table;  ///< that it stands in
};
using Defines = std::map<std::string, Define>;

/// One of the list or of the claim, tested or else only stated.
struct Assumption {
  claims::Entry entry;
  AssumptionRow row;  ///< without a name where it is the claim's own

  const std::string& text() const { return row.words; }
  bool tested() const { return row.met || !row.holds.empty(); }
};

/// A statement: the [claim] of its file, after what it includes.
struct CheckRow {
  std::string id;  ///< "wang2025/one-step-gd"
  claims::Entry claim;
  Defines defines = {};
  std::vector<Assumption> assumptions = {};
  std::vector<claims::Entry> findings = {}, curves = {};
  std::vector<CheckExperiment> experiments = {};  ///< its own and further ones
  bool rehearsed = false;  ///< judged on no values first, so that its mistakes come before its runs

  /// A text of [claim], empty where it is not there: title (or else the id), statement, source, predicted, method, rule (of the
  /// verdict), note, only_doubles (why its runs cannot be recomputed in 50 digits).
  std::string word(const std::string& key) const;
  /// The numbers of the experiments that `of` names, or of its own. InputError with a place where there is none.
  std::vector<std::size_t> experiments_of(const claims::Entry& entry) const;
};

using ReadText = std::function<std::string(const std::string& file)>;
/// The statement of a file, whose further experiments stand beside it; `read` gives the text of a file. InputError with the place of
/// everything that is wrong with the texts alone, among them that of a [claim] that is not there.
CheckRow read_claim(const std::string& id, const std::string& file, const ReadText& read);

/// In the order of their files.
const std::vector<CheckRow>& check_catalogue();

/// The row of an id; InputError with the nearest id otherwise.
const CheckRow& check_row(const std::string& id);

/// The statement of a user's file, which check_row knows from then on. FileError, and InputError as read_claim.
const CheckRow& claim_of_file(const std::filesystem::path& path);

/// The files below experiments/theorems/, whose texts are part of the program; std::logic_error for another one.
const std::vector<std::string>& embedded_experiments();
const std::string& experiment_text(const std::string& file);

struct CheckOptions {
  bool quick = false;
  bool precise = false;  ///< everything again in 50 digits, and how many digits of each number are right
  int threads = 1;
  /// Put over every experiment file, as --set does. What a test of a check makes wrong.
  std::vector<std::string> overrides = {};
  double memory_limit = std::numeric_limits<double>::infinity();  ///< bytes that a run may take
  std::function<void(Experiment&)> change = {};                   ///< of every point, before it runs
};

/// Runs the experiments of a check: every point of every plan, with `digits` on the grids that allow 50 digits. Points that
/// are in `before` as well are taken from there.
/// Errors: InputError where an experiment cannot run, which only overrides can bring about.
Evidence gather_evidence(const CheckRow& row, const CheckOptions& options,
                         std::optional<std::int64_t> digits = {}, const Evidence& before = {});

/// Hypotheses tested and findings judged, under whatever rules. Where a hypothesis is not met, what fails is inconclusive.
CheckReport judge_check(const CheckRow& row, const Evidence& evidence);

/// Runs and judges a check after another one, whose evidence `before` is; it becomes that of this one. Under other rules than those of
/// the statement nothing is confirmed, but what fails stays a failure.
CheckReport run_check(const CheckRow& row, const CheckOptions& options, Evidence& before);

/// "finding rho: update_entropy" for every variable on which a green finding rests and which may be off without its noticing. All
/// values are multiplied and divided by 1 + δ, δ ten tolerances of the finding and 1e-9 at least (of a bound: by 1000), tilted by
/// (1 + δ)^position along each axis, the optimizers, the steps and the classes, put in the opposite order along each, and replaced by
/// 1; those of the last point, optimizer, step or class alone are multiplied, divided and tilted. Unseen is a variable if the finding stays green
/// through all of these, or where all values are NaN. A finding that says why it is `blind`, or blind to a variable, is left out.
/// `number`: of this finding alone.
std::vector<std::string> unseen_changes(const CheckRow& row, const Evidence& evidence,
                                        std::optional<std::size_t> number = {});

/// "rule gd of plain" for every label under which gd, muon and signgd leave the statement green on the runs of these options.
/// Evidence is that of the rules as they are. A claim that says why it is `blind` to rules is left out.
std::vector<std::string> unseen_rules(const CheckRow& row, const CheckOptions& options,
                                      const Evidence& evidence);

}  // namespace rarefact
