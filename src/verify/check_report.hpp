#pragma once

/// The result of checking a statement, as plain data for reports.

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rarefact {

/// The verdict of a finding or a check; later ones outweigh earlier ones.
enum class Verdict { sharp, holds, evidence, against, inconclusive, fails };

struct VerdictRow {
  Verdict verdict;
  std::string_view text;
  std::string_view meaning;  ///< of the statement, "it"
};

/// Texts of the verdicts, for reports, the help of `rarefact verify` and docs/trust.md.
inline constexpr std::array verdict_rows = {
    VerdictRow{Verdict::sharp, "holds sharply",
               "it holds, and a measured number equals the exact form or the sharp constant, which is more "
               "precise than the published one"},
    VerdictRow{Verdict::holds, "holds", "no measured number contradicts it"},
    VerdictRow{
        Verdict::evidence, "evidence only",
        "asymptotic in a way that no finite size can decide, or an open conjecture: the numbers are shown beside "
        "the claim, neither a pass nor a failure"},
    VerdictRow{Verdict::against, "evidence against",
               "also undecidable at finite size, but an interval over seeds contradicts it"},
    VerdictRow{Verdict::inconclusive, "inconclusive",
               "the runs do not meet an assumption, or the numbers are not decisive"},
    VerdictRow{Verdict::fails, "fails", "a number contradicts it, or its sharp constant; exit code 1"},
};

std::string verdict_text(Verdict verdict);

/// A measured number, the claim about it, and their comparison.
struct Finding {
  std::string id = {};        ///< "rho-in-k", "rho-in-k/r = 0.25" for one of several; unique in its report
  std::string quantity = {};  ///< the same in words: "exponent of ϱ in K, r = 0.25"
  double measured = 0;
  std::optional<double> low = {}, high = {};  ///< 95 % confidence interval (Student t) of a fitted number
  std::string published = {};        ///< the claim as text: "<= -0.3"; empty if the papers claim nothing
  std::optional<double> sharp = {};  ///< the exact or sharp number, if known
  std::string rule = {};             ///< the criterion, with its numbers: "interval below -0.3"
  Verdict verdict = Verdict::inconclusive;
  std::optional<double> agrees_to = {};  ///< tolerance, if `measured` is a difference from an exact form
  /// It allows more than a twentieth of a constant, or 0.02 of 0 or of an exponent: its check never holds sharply.
  bool wide = false;
  bool headline = false;  ///< shown in the tables; others only in the explanation of the check
  bool of_runs = true;    ///< it reads a measured variable
  std::optional<double> right_digits = {};  ///< correct digits of `measured`, if recomputed in 50 digits
};

/// What the findings of a [[claim.finding]] are made of.
struct FindingBasis {
  std::set<std::string> variables = {};  ///< that they read
  double tolerance = 0;                  ///< the largest that they use
  std::size_t work = 0;                  ///< numbers computed
  bool refused = false;                  ///< they cannot be judged
  bool of_runs = false;                  ///< they read a measured variable
  std::vector<Finding> findings = {};

  /// The weightiest of the findings; inconclusive if refused.
  Verdict verdict() const;
};

/// A hypothesis of the statement or of the measurement.
struct Hypothesis {
  std::string text;
  bool met = false;
  std::string detail;  ///< the numbers that decide it
};

/// y by x, ascending in x whatever the order of the runs.
using Points = std::map<double, double>;
std::vector<double> keys(const Points& points);
std::vector<double> values(const Points& points);

/// The figure of a check: labelled series over the same abscissa.
struct Curve {
  std::string title = {};
  std::string x_label = {};
  std::vector<std::pair<std::string, Points>> series = {};  ///< all have the same x
};

struct CheckReport {
  std::string id = {};
  std::vector<Hypothesis> hypotheses = {};
  std::vector<Finding> findings = {};
  std::vector<FindingBasis> bases = {};  ///< of every [[claim.finding]]
  std::vector<Curve> curves = {};
  std::size_t runs = 0;      ///< trajectories that were simulated
  std::string options = {};  ///< options that changed the runs: "--quick", "--set ..."; empty: the full grid
  std::string note = {};     ///< for the reader: exclusions, limits of precision
  std::vector<std::string> unfinished = {};  ///< runs that did not complete: "gd, K = 10: diverged at step 3"
  std::vector<std::string> unseen = {};      ///< of a user's file: changes that its findings do not notice
  bool vacuous = false;                      ///< some finding notices no change of what it reads
  bool reads_no_run = false;                 ///< no finding reads a measured variable

  bool all_met() const;
  /// The weightiest verdict of the findings; an unmet hypothesis, or no finding, counts as inconclusive. `sharp` if all
  /// hold, one sharply, the interval of every headline has its sharp number, and none is vacuous or wide.
  Verdict verdict() const;
  /// "holds sharply", "holds, but vacuous", "holds, but reads no run".
  std::string verdict_words() const;
  /// Sets right_digits from the same check in 50 digits.
  void confirm(const CheckReport& exact);
};

/// -log10 |measured/exact - 1|, at most 17; 0 if that is NaN and the two differ.
double right_digits(double measured, double exact);

}  // namespace rarefact
