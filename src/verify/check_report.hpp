#pragma once

/// What a check of a statement comes to: plain data that reports print and store.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rarefact {

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

/// Numbers over an abscissa, ascending whatever the order of the runs.
using Points = std::map<double, double>;
std::vector<double> keys(const Points& points);
std::vector<double> values(const Points& points);

/// For the figure of a check: labelled series over one abscissa.
struct Curve {
  std::string title = {};
  std::string x_label = {};
  std::vector<std::pair<std::string, Points>> series = {};  ///< of equal keys
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

  bool all_met() const;
  /// The weightiest of the findings, where an unmet hypothesis and no finding at all weigh as inconclusive; sharp
  /// where all hold, one of them sharply, and no headline's interval is without the sharp number.
  Verdict verdict() const;
  /// States how many digits of its numbers those of the same check in 50 digits confirm.
  void confirm(const CheckReport& exact);
};

/// -log10 |measured/exact - 1|, at most 17; 0 where that is no number and the two differ.
double right_digits(double measured, double exact);

}  // namespace rarefact
