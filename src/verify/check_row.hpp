#pragma once

/// Statements: what a check of one comes to, which is plain data that reports print and store, and the catalogue of them, the files
/// of experiments/theorems that have a [claim].

#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/evidence.hpp"

namespace rarefact {

namespace claims {
struct ClaimText;
}

/// Of one finding, and of a whole check: each outweighs those before it.
enum class Verdict { sharp, holds, evidence, against, inconclusive, fails };

struct VerdictRow {
  Verdict verdict;
  std::string_view text;
  std::string_view meaning;  ///< ends "the statement ..."
};

/// All that is known of a verdict: reports, the help of `rarefact verify` and docs/trust.md have it from here.
inline constexpr std::array verdict_rows = {
    VerdictRow{Verdict::sharp, "holds sharply",
               "holds, and a measured number equals the exact form or the sharp constant, which is more "
               "precise than the published one"},
    VerdictRow{Verdict::holds, "holds", "holds"},
    VerdictRow{Verdict::evidence, "evidence only",
               "is asymptotic in a way that no finite size can decide, or an open conjecture: the numbers "
               "are shown beside the claim, and are neither a pass nor a failure"},
    VerdictRow{
        Verdict::against, "evidence against",
        "is of this kind, and an interval over seeds lies on the wrong side of the claim: it is not seen "
        "at these sizes"},
    VerdictRow{Verdict::inconclusive, "inconclusive",
               "has a hypothesis that the runs do not meet, or the numbers are not decisive"},
    VerdictRow{Verdict::fails, "fails", "is contradicted by a number, or the sharp constant is; exit code 1"},
};

std::string verdict_text(Verdict verdict);

/// One number that was measured, what is claimed of it, and how the two compare.
struct Finding {
  std::string id = {};        ///< "rho-in-k", "rho-in-k/r = 0.25" of one of several: unique in its report
  std::string quantity = {};  ///< the same in words: "exponent of ϱ in K, r = 0.25"
  double measured = 0;
  std::optional<double> low = {}, high = {};  ///< 95 % confidence interval (Student t) of a fitted number
  std::string published = {};        ///< the claim as text: "<= -0.3"; empty where the papers claim nothing
  std::optional<double> sharp = {};  ///< the exact or sharp number, where one is known
  std::string rule = {};             ///< what decided, with the numbers: "interval below -0.3"
  Verdict verdict = Verdict::inconclusive;
  std::optional<double> agrees_to =
      {};                 ///< `measured` is a difference from an exact form, allowed up to this
  bool headline = false;  ///< shown in the tables; the others in the explanation of the check
  std::optional<double> right_digits = {};  ///< of `measured`, where it was recomputed in 50 digits
};

/// A hypothesis of the statement or of the measurement, and whether the runs meet it.
struct Hypothesis {
  std::string text;
  bool met = false;
  std::string detail;  ///< the numbers that say so
};

/// Numbers over an abscissa, for the figure of a check. All series are as long as x.
struct Curve {
  struct Series {
    std::string label;
    std::vector<double> y;
  };
  std::string title = {};
  std::string x_label = {};
  std::vector<double> x = {};
  std::vector<Series> series = {};
  std::optional<double> right_digits = {};  ///< the least of any number, where recomputed in 50 digits
};

struct CheckReport {
  std::string id = {};
  std::vector<Hypothesis> hypotheses = {};
  std::vector<Finding> findings = {};
  std::vector<Curve> curves = {};
  std::size_t runs = 0;      ///< trajectories that were simulated
  std::string options = {};  ///< what changed the runs: "--quick", "--set ..."; empty: the full grid
  std::string note = {};     ///< what a reader has to know: exclusions, where precision ends

  /// The finding that was added, until the next one is. One of several like it: `of`, such as "K = 1e+15", is appended to
  /// id and quantity.
  Finding& add(const std::string& id, const std::string& of, Finding finding, bool headline = false);
  /// The findings of this id, or those added as several under it; with "rate/s = 2" those of s = 2.
  std::vector<const Finding*> of(const std::string& id) const;
  /// A curve of series that share their abscissa.
  void curve(std::string title, std::string x_label,
             const std::vector<std::pair<std::string, Points>>& series);
  bool all_met() const;

  /// The weightiest of the findings, where an unmet hypothesis and no finding at all weigh as inconclusive; sharp
  /// where all hold, one of them sharply, and no headline's interval is without the sharp number.
  Verdict verdict() const;
};

/// An experiment of a check, with the text of its file.
struct CheckExperiment {
  std::string file;  ///< "experiments/theorems/wang2025/one-step-gd.toml"
  std::string text = {};
  std::vector<std::string> quick = {};    ///< what --quick puts over it, as --set does
  std::vector<std::string> precise = {};  ///< what --precision 50 puts over it for both of its runs
};

/// A statement: the [claim] of its file.
struct CheckRow {
  std::string id = {};  ///< "wang2025/one-step-gd"
  std::shared_ptr<const claims::ClaimText> claim = {};
  std::vector<CheckExperiment> experiments = {};  ///< its own and further ones
  bool rehearsed = false;  ///< judged on no values first, so that its mistakes come before its runs

  /// A text of [claim], empty where it is not there: title (or else the id), statement, source, predicted, method, rule (of the
  /// verdict), note, only_doubles (why its runs cannot be recomputed in 50 digits).
  std::string word(const std::string& key) const;
};

/// In the order of their files.
const std::vector<CheckRow>& check_catalogue();

/// The row of an id; InputError with the nearest id otherwise.
const CheckRow& check_row(const std::string& id);

/// The statement of a user's file, which check_row knows from then on. Further experiments are of its folder. FileError, and
/// InputError with places, among them that of a [claim] that is not there.
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

/// Hypotheses tested and findings judged. Where a hypothesis is not met, what fails is inconclusive. `any_rules`: runs need not be
/// under the rules of the statement.
CheckReport judge_check(const CheckRow& row, const Evidence& evidence, bool any_rules = false);

/// Runs and judges a check after another one, whose evidence `before` is; it becomes that of this one.
CheckReport run_check(const CheckRow& row, const CheckOptions& options, Evidence& before);

/// -log10 |measured/exact - 1|, at most 17; 0 where that is no number and the two differ.
double right_digits(double measured, double exact);

}  // namespace rarefact
