#pragma once

/// Queries of results: a number, of a class row, at a recorded step, and averages over runs that differ only in the seed.

#include <cmath>
#include <functional>

#include "metrics/rank_band.hpp"

namespace rarefact {

/// The NaN of an entry that an expression does not have, such as prev(x) at the first step; a NaN by its bits.
inline const double absent = std::nan("1");

/// The numbers of a quantity in a run; NaN if there is none.
using Numbers = std::function<double(std::size_t optimizer, std::size_t record, std::size_t row)>;

/// A variable of a result, or an expression of several.
struct Quantity {
  std::string name = {};
  std::string meaning = {};  ///< with the unit
  bool per_optimizer = true, per_step = false;
  Along along = Along::nothing;
  bool counts = true;                       ///< whole numbers are counts, not ratios that happen to be whole
  std::vector<std::string> variables = {};  ///< recorded ones that it reads, which limit its digits
  std::vector<std::string> others = {};     ///< optimizers that it reads beside, or instead of, its own
  std::function<Numbers(const Run&)> numbers = {};  ///< empty for a text
  std::string Trajectory::*text = nullptr;          ///< null for a number
  bool over_classes = false;                        ///< a function joins numbers along the class rows
};

Quantity recorded(const std::string& name, Along along = Along::nothing);

Quantity constant(double value);

/// The fewest significant digits that rounding leaves of the variables that a quantity reads, at a record or, without
/// steps, of all: NAME_digits of the variable or of what it predicts, else the minimum (`digits`). NaN: no limit.
double digits_left(const Quantity& quantity, const Run& run, std::size_t optimizer, std::size_t record);

/// The choice of a class or answer row: `head` is that of the most frequent classes, `tail` of the rarest; `band` is the
/// mean over all classes of rank `from` to `to`, whole numbers (rank_band); `name` a band by its name.
struct RowChoice {
  enum class Kind { row, head, tail, min, max, band, name };
  std::string name = {};  ///< as typed
  Kind kind = Kind::tail;
  std::string description = {};  ///< " of the tail (the rarest class row)"; {}: class, answer or band
  std::size_t row = 0;
  double from = 0, to = 0;
};

/// head, tail, max, min.
const std::vector<RowChoice>& named_rows();

/// left < right, or > <= >=, both for the chosen row. False if one is not finite.
struct Condition {
  Quantity left = {}, right = {};
  std::string sign = "<";
};

struct Query {
  enum class At {
    last,         ///< the last step of a finished run
    last_finite,  ///< the last step with finite numbers of any run
    least,        ///< along the run
    largest,
    first,     ///< the first step at which `when` holds
    for_good,  ///< the first step from which on it holds to the end
  };
  Quantity value = {};
  RowChoice rows = {};
  At at = At::last;
  std::optional<Condition> when = {};  ///< set for `first` and `for_good`
  bool shows_step = false;             ///< show the step, not the value
  std::string moment = {};             ///< "at the last step (3000)", "< 0.1"
};

/// The result of a query in one run, or in several that differ only in the seed.
struct TableCell {
  enum class Kind {
    number,   ///< `mean`, and where runs > 1 `half_width` or `low` and `high`
    beyond,   ///< the condition did not hold in any of the runs by step `beyond`, the earliest of their ends
    words,    ///< `words`: "diverged", "failed", "7/10 reached", "no digits", a variable that is a text
    missing,  ///< no such run, or no value (such as a prediction that does not apply)
  };
  Kind kind = Kind::missing;
  int runs = 0;           ///< number of runs in the cell
  double mean = 0;        ///< finite
  double half_width = 0;  ///< of the 95 % confidence interval of the mean, Student's t with runs - 1 degrees
  /// Ends of an interval that is not symmetric; infinite: not reached by step `beyond`, or an overflow.
  std::optional<double> low = {}, high = {};
  int digits = 17;           ///< significant digits that rounding leaves
  int measured = 0;          ///< runs that are numbers with measured digits
  bool counts = true;        ///< whole numbers are printed as such, not as 1.00
  bool approximate = false;  ///< a number, but in one of the runs the quadrature missed its tolerance
  std::size_t record = 0;    ///< record of the number of a single run
  std::int64_t beyond = 0;
  std::string words = {};
};

/// The results of a query in a run; both must outlive it.
class RunAnswers {
 public:
  RunAnswers(const Query& query, const std::vector<std::int64_t>& steps, const Run& run);
  /// The cell of an optimizer, of the query's row and step or of those given.
  TableCell operator()(std::size_t optimizer, std::optional<std::size_t> row = {},
                       std::optional<std::size_t> record = {}) const;

 private:
  /// The numbers of a quantity for the chosen row, or for another that is given.
  using RowNumbers =
      std::function<double(std::size_t optimizer, std::size_t record, std::optional<std::size_t> row)>;
  RowNumbers chosen(const Quantity& quantity) const;

  const Query& query_;
  const std::vector<std::int64_t>& steps_;
  const Run& run_;
  RowNumbers value_ = {}, left_ = {}, right_ = {};
  RankBand band_ = {};  ///< of a choice of ranks
};

/// Averages of runs that differ only in the seed, each with a 95 % interval.
struct Average {
  std::string name;
  std::string description;
  /// Sets mean, and half_width or low and high; kind becomes `words` if the numbers have no such average.
  void (*of)(std::vector<double> numbers, TableCell& cell);
  /// True if runs that do not reach a threshold count as later than any that do (infinite).
  bool censored = false;
};

/// mean (Student's t), geometric-mean (Student's t of the logarithms), median (order statistics).
const std::vector<Average>& averages();

/// Combines the results of several runs: a number only if every run has one, else a count. `searched`: runs may not reach
/// it.
TableCell together(const std::vector<TableCell>& cells, bool searched,
                   const Average& average = averages().front());

/// True if a run reached its last step.
bool is_finished(const Trajectory& trajectory);

/// The last record with a number; runs of a sweep may have different lengths.
std::size_t end_of(const Trajectory& trajectory, const std::vector<std::int64_t>& steps);

}  // namespace rarefact
