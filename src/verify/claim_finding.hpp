#pragma once

/// The findings of a claim, judged by their relations.

#include "core/transform.hpp"
#include "tables/result_frame.hpp"
#include "verify/check_row.hpp"

namespace rarefact::claims {

using namespace query;

/// Changes the values of a variable, in tests.
using Tamper = std::function<void(const std::string& variable, Array& values)>;

/// The data of one experiment. Variables of runs that did not complete, but for predictions, are NaN: nothing on them
/// holds.
class ExperimentData : public ResultFrame {
 public:
  /// The evidence must outlive the data.
  explicit ExperimentData(const EvidencePoints& evidence);
  ExperimentData(const ExperimentData&) = delete;
  ExperimentData& operator=(const ExperimentData&) = delete;
  bool is_variable(const std::string& name) const;
  /// The runs that did not complete: "gd at K = 10: diverged (step 3)".
  std::vector<std::string> unfinished() const;
  /// Notes where a variable of a run that did not complete is read.
  void reading(const std::string& name, const std::function<Array(Array)>& chosen) const override;
  /// True if one was read since the last forget_unfinished().
  bool read_unfinished() const { return read_unfinished_; }
  void forget_unfinished() const { read_unfinished_ = false; }
  void change(Tamper tamper) { change_ = std::move(tamper); }
  /// "K = 10, muon, step 3": where an entry of an array is, along its dimensions of several entries.
  std::string place(const Shape& shape, std::size_t entry) const;

 private:
  void remove_unfinished(Array& values) const;

  const EvidencePoints& evidence_;
  Tamper change_;
  Array unfinished_ = {};  ///< present for a run that did not complete
  mutable bool read_unfinished_ = false;
};

inline bool is_prediction(const std::string& variable) {
  return variable.find("_predicted") != std::string::npos;
}

/// True for a prediction of the mean over samples, which no single run has.
inline bool is_mean(const std::string& variable) {
  return variable.ends_with("_predicted_mean");
}

/// True for a slope between logarithms, and for a quotient of logarithms.
bool is_exponent(const Syntax& tree, const query::Definitions& defines);

inline constexpr const char* nothing_left = "nothing is left to compare";
inline constexpr const char* few_points_rule = "an exponent needs at least three points";

/// The evaluator for one experiment, and the texts that replace {x}.
struct Case {
  Evaluator evaluate;
  Array where;
  std::map<std::string, std::string> texts = {};
  std::optional<Array> lacking = {};  ///< points without the steps that `where` names
};

/// An entry for one value of its key `per`.
class Part {
 public:
  Part(const Entry& entry, std::vector<Case> cases);

  /// Judges the entry. Throws InputError with a position for an illegal relation.
  Finding finding();
  double tolerance() const { return tolerance_; }
  /// True if a slope had fewer than three points.
  bool few_points() const;
  /// A text, with expressions in braces replaced by their values.
  std::string interpolated(const std::string& key);
  /// The value of a key that is true, false or a condition.
  bool condition(const std::string& key);
  /// y over x of all entries that have both; `text` is the expression of y.
  Points curve(const std::string& text);

  /// A key that relates the measured value to a claim, with its companions. The last is `evidence`, no relation beside
  /// another.
  struct Relation {
    std::string name;
    std::vector<std::string> beside;
    Finding (Part::*judge)(const std::string& key);
  };
  static const std::vector<Relation>& relations();

 private:
  /// The measured value, as one number or one per seed, and the values of the accompanying keys.
  struct Compared {
    std::vector<double> measured;
    const Case* in = nullptr;  ///< null if there is a single one
    std::size_t entry = 0;     ///< of an array of this shape
    Shape shape = {};
    std::map<std::string, std::vector<double>> beside = {};
    /// The value of a key, which is finite.
    double number(const std::string& key, double without_key = missing) const;
  };
  /// " at K = 10, step 3"; empty if there is a single one.
  static std::string place(const Compared& item);
  /// Those that can be evaluated; a finding on others is inconclusive (unevaluated_).
  std::vector<Compared> compared(const std::vector<std::string>& keys, bool seeds = false);
  /// False if measured numbers are not finite. Throws InputError if other numbers of a claim are not.
  bool require_finite(Case& in, const std::string& key, const std::vector<double>& numbers);
  std::string with_choices(const Case& in, const std::string& key, std::string text) const;
  static const ExperimentData& data(const Case& in) {
    return static_cast<const ExperimentData&>(in.evaluate.frame());
  }
  Array value(Case& in, const std::string& key, const std::string& text);
  Array value(Case& in, const std::string& key) { return value(in, key, entry_.text(key)); }
  /// The numbers of a key for each entry of a shape; several if there are several seeds. Along other
  /// dimensions a tolerance may vary (the largest counts); everything else must be constant.
  std::vector<std::vector<double>> beside(const Shape& shape, const Dimensions& seeds, Case& in,
                                          const std::string& key);
  double single(const std::string& key, double otherwise);

  /// "; at step 10 1 of 2 points has a record"; empty if all have.
  std::string beyond_records() const;
  /// "no record has step 10 at K = 4".
  static std::string absence(const Case& in, const std::string& what, const Array& points);
  /// Refuses means over seeds whose axis varies other keys, too.
  void require_same_problem(const Frame& data, const Array& measured, const Dimensions& seeds,
                            const Lines& lines) const;
  /// The number of points for which an array has a number.
  static std::size_t points_with(const Case& in, const Array& array);
  /// True if a tolerance is more than a twentieth of a constant, or 0.02 of 0 or of an exponent.
  bool is_wide(double tolerance, double constant);

  Finding equals(const std::string& key);
  Finding at_most_or_least(const std::string& key);
  Finding between(const std::string& key);
  Finding bounded(const std::string& key);
  static std::vector<Points> curves_over(const std::string& key, const std::vector<Compared>& all);
  Finding of_seeds(const std::string& key);
  /// A finding, and the distance of its interval from a bound, negative on the wrong side.
  std::pair<Finding, double> of_seeds(const Compared& item, const std::string& key);
  Finding undecided(std::string rule) const;

  const Entry& entry_;
  std::vector<Case> cases_;
  std::vector<LineFit> fits_ = {};
  double tolerance_ = 0;
  std::optional<bool> exponent_ = {};  ///< what is measured is one
  std::string unmeasured_ = {};        ///< "2 of 4 points have nothing measured"
  std::string unevaluated_ = {};       ///< "2 of 3 numbers cannot be evaluated, such as nan at K = 10"
};

/// Adds assumptions, findings and curves; no findings without a needed assumption. InputError with positions for illegal
/// claims.
void judge_claim(const CheckRow& row, const Evidence& evidence, CheckReport& report);

/// Judges the findings of a single entry from values changed by `change`, and computes at most about `work` numbers.
using JudgeFinding = std::function<FindingBasis(std::size_t number, const Tamper& change, std::size_t work)>;
/// What it refers to must outlive it.
JudgeFinding finding_judge(const CheckRow& row, const Evidence& evidence);

}  // namespace rarefact::claims
