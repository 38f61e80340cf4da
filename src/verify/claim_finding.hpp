#pragma once

/// A finding of a claim, judged by its relations.

#include "verify/claim_evaluate.hpp"

namespace rarefact::claims {

inline constexpr const char* nothing_left = "nothing is left to compare";
inline constexpr const char* few_points_rule = "an exponent needs at least three points";

/// One experiment, and what {x} stands for in the texts of an entry.
struct Case {
  Evaluator evaluate;
  std::map<std::string, std::string> texts = {};
};

/// An entry for one value of what it is `per`.
class Part {
 public:
  Part(const Entry& entry, std::vector<Case> cases) : entry_(entry), cases_(std::move(cases)) {}

  /// InputError with a place for what a relation may not ask.
  Finding finding();
  /// The largest tolerance of what has been compared.
  double tolerance() const { return tolerance_; }
  /// True if a slope had fewer than three points.
  bool few_points() const;
  /// A text whose expressions in braces are evaluated.
  std::string interpolated(const std::string& key);
  /// A key that is true, false or a condition.
  bool condition(const std::string& key);
  /// y over x of all entries that have both; `text` is the expression of y.
  Points curve(const std::string& text);

 private:
  /// The measured number of an entry, and the numbers beside it.
  struct Number {
    double measured = 0, other = 0, tolerance = 0;
  };
  Array value(Case& in, const std::string& key, std::string text);
  Array value(Case& in, const std::string& key) { return value(in, key, entry_.text(key)); }
  /// Another value at the entries of what is measured. A tolerance may be larger elsewhere along dimensions that the
  /// measured has not; all else must be the same there.
  Array beside(const Array& measured, Case& in, const std::string& key);
  /// The measured numbers, and with each the number of `other` and the tolerance, if there are any.
  std::vector<Number> numbers(const std::string& other, const std::string& tolerance);
  double single(const std::string& key, double otherwise);
  Finding equal();
  Finding compared(const std::string& key);
  Finding between();
  Finding bounded();
  /// The mean over seeds of each entry, and its relation: mean_equals, interval_above, interval_below or, alone, evidence.
  Finding of_seeds(const std::string& key);
  Finding seeds_of(const std::vector<double>& x, const std::vector<double>& other, double tolerance,
                   double widest, const std::string& key);

  const Entry& entry_;
  std::vector<Case> cases_;
  std::vector<LineFit> fits_ = {};
  double tolerance_ = 0;
};

}  // namespace rarefact::claims
