#pragma once

/// What a check of a theorem comes to: plain data that reports print and store.

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rarefact {

/// Of one finding, and of a whole check.
enum class Verdict {
  sharp,         ///< holds sharply: the measured number equals the sharp constant or the exact form
  holds,         ///< what is published holds
  evidence,      ///< evidence only: what is claimed is asymptotic, and no finite size decides it
  inconclusive,  ///< a hypothesis is not met, or the numbers decide nothing
  fails,
};

/// "holds sharply", "holds", "evidence only", "inconclusive", "fails".
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

  /// The finding that was added, until the next one is.
  Finding& add(std::string id, Finding finding, bool headline = false);
  /// One of several like it: `of`, such as "K = 1e+15", is appended to id and quantity.
  Finding& add(const std::string& id, const std::string& of, Finding finding, bool headline = false);
  /// The findings of this id, or those added as several under it; with "rate/s = 2" those of s = 2.
  std::vector<const Finding*> of(const std::string& id) const;
  /// A curve of series that share their abscissa.
  void curve(std::string title, std::string x_label,
             const std::vector<std::pair<std::string, Points>>& series);
  /// A hypothesis that shows only while numbers are taken.
  void assume(std::string text, bool met, std::string detail);
  bool all_met() const;

  /// fails if any finding does; else inconclusive if a hypothesis is unmet, a finding decides nothing or
  /// there is none; else evidence if a finding is no more than that; else sharp if a finding is.
  Verdict verdict() const;
};

}  // namespace rarefact
