#pragma once

/// The findings of a claim, judged by their relations.

#include "core/transform.hpp"
#include "query/evaluate.hpp"
#include "tables/result_frame.hpp"
#include "verify/check_row.hpp"
#include "verify/evidence.hpp"

namespace rarefact::claims {

using namespace query;

/// Changes the values of a variable, in tests.
using Tamper = std::function<void(const std::string& variable, Array& values)>;

/// The data of one experiment that claims read.
class ExperimentData : public ResultFrame {
 public:
  /// The evidence must outlive the data.
  explicit ExperimentData(const EvidencePoints& evidence, Tamper tamper = {})
      : ResultFrame(mapped(evidence,
                           [](const EvidencePoint& point) -> FramePoint {
                             return {&point.run(), &point.result.steps, &point.result.variables,
                                     [&point]() -> const Experiment& { return point.experiment; }};
                           }),
                    evidence.axes) {
    tamper_ = std::move(tamper);
  }
};

inline constexpr const char* nothing_left = "nothing is left to compare";
inline constexpr const char* few_points_rule = "an exponent needs at least three points";

/// The evaluator for one experiment, and the texts that replace {x}.
struct Case {
  Evaluator evaluate;
  Array where;
  std::map<std::string, std::string> texts = {};
};

/// An entry for one value of its key `per`.
class Part {
 public:
  Part(const Entry& entry, std::vector<Case> cases);

  /// Judges the entry. Throws InputError with a position for an illegal relation.
  Finding finding();
  /// The largest tolerance used.
  double tolerance() const { return tolerance_; }
  /// True if a slope had fewer than three points.
  bool few_points() const;
  /// A text, with expressions in braces replaced by their values.
  std::string interpolated(const std::string& key);
  /// The value of a key that is true, false or a condition.
  bool condition(const std::string& key);
  /// y over x of all entries that have both; `text` is the expression of y.
  Points curve(const std::string& text);

  /// A key that relates the measured value to a claim, and the keys that may accompany it. The last relation
  /// is `evidence`, no relation beside another.
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
    std::map<std::string, std::vector<double>> beside = {};
    /// The value of a key; NaN if it is absent.
    double number(const std::string& key, double without_key = missing) const;
  };
  std::vector<Compared> compared(const std::vector<std::string>& keys, bool seeds = false);
  Array value(Case& in, const std::string& key, std::string text);
  Array value(Case& in, const std::string& key) { return value(in, key, entry_.text(key)); }
  /// The numbers of a key for each entry of a shape; several if there are several seeds. Along other
  /// dimensions a tolerance may vary (the largest counts); everything else must be constant.
  std::vector<std::vector<double>> beside(const Shape& shape, const Dimensions& seeds, Case& in,
                                          const std::string& key);
  double single(const std::string& key, double otherwise);

  Finding equals(const std::string& key);
  Finding at_most_or_least(const std::string& key);
  Finding between(const std::string& key);
  Finding bounded(const std::string& key);
  Finding of_seeds(const std::string& key);
  Finding of_seeds(const Compared& item, const std::string& key);

  const Entry& entry_;
  std::vector<Case> cases_;
  std::vector<LineFit> fits_ = {};
  double tolerance_ = 0;
};

/// Adds assumptions, findings and curves; no findings if a needed assumption is not met. Throws InputError
/// with positions for illegal claims.
void judge_claim(const CheckRow& row, const Evidence& evidence, CheckReport& report);

/// Adds the findings of a single entry, from values changed by `tamper`, and returns the variables they used
/// and the largest tolerance.
struct FindingBasis {
  std::set<std::string> variables = {};
  double tolerance = 0;
};
FindingBasis judge_finding(const CheckRow& row, const Evidence& evidence, std::size_t number,
                           CheckReport& report, const Tamper& tamper = {});

}  // namespace rarefact::claims
