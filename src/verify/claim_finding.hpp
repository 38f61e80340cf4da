#pragma once

/// A finding of a claim, judged by its relations.

#include "verify/check_row.hpp"
#include "verify/claim_evaluate.hpp"

namespace rarefact::claims {

inline constexpr const char* nothing_left = "nothing is left to compare";
inline constexpr const char* few_points_rule = "an exponent needs at least three points";

/// One experiment as an entry reads it, and what {x} stands for in its texts.
struct Case {
  Evaluator evaluate;
  Array where;
  std::map<std::string, std::string> texts = {};
};

/// An entry for one value of what it is `per`.
class Part {
 public:
  Part(const Entry& entry, std::vector<Case> cases);

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

  /// A key that relates what is measured to something, with those that say something beside it. The last is `evidence`, which is none
  /// beside another.
  struct Relation {
    std::string name;
    std::vector<std::string> beside;
    Finding (Part::*judge)(const std::string& key);
  };
  static const std::vector<Relation>& relations();

 private:
  /// What is measured, a number or one of each seed, and what stands beside it by keys.
  struct Compared {
    std::vector<double> measured;
    std::map<std::string, std::vector<double>> beside = {};
    /// NaN where it is absent.
    double number(const std::string& key, double without_key = missing) const;
  };
  std::vector<Compared> compared(const std::vector<std::string>& keys, bool seeds = false);
  Array value(Case& in, const std::string& key, std::string text);
  Array value(Case& in, const std::string& key) { return value(in, key, entry_.text(key)); }
  /// The numbers of a key for each entry of a shape, several of several seeds. A tolerance may be larger elsewhere along dimensions that the
  /// shape has not; all else must be the same there.
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

}  // namespace rarefact::claims
