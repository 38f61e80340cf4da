#pragma once

/// One question to results, asked run by run: which number, of which class row, at which of the recorded steps, and how
/// runs that differ in the seed alone become one answer. Tables, the closing summary and searches for step sizes ask it.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// The numbers of a variable in one trajectory; NaN where there is none.
using Numbers = std::function<double(std::size_t record, std::size_t row)>;

/// A variable of a result, or an expression of several.
struct Quantity {
  std::string name = {};
  std::string meaning = {};  ///< with the unit
  bool per_optimizer = true, per_step = false;
  Along along = Along::nothing;
  bool counts = true;  ///< whether a whole number may be a count, not a ratio that rounding made whole
  std::function<Numbers(const Run&, const Trajectory&)> numbers = {};  ///< empty for a text
  std::function<std::string(const Trajectory&)> text = {};             ///< empty for a number
  /// Significant digits that rounding leaves of a number; empty or NaN: all that are printed.
  std::function<Numbers(const Run&, const Trajectory&)> digits = {};
};

/// A recorded variable, with its digits: NAME_digits of it or of what it predicts, else the least of all (`digits`).
Quantity recorded(const std::string& name, Along along = Along::nothing);

Quantity constant(double value);

/// Σ_l p_l (1 - p̂(l|l)): at the last step as it was summed, before as 1 - soft_recovery, which holds no error far below
/// 1e-16.
Quantity total_error();

/// Which class or answer row a number is of. The head is the row of the most frequent classes, the tail that of the
/// rarest; `band` is the mean over all classes in rows whose rank is in [from, to].
struct RowChoice {
  enum class Kind { row, head, tail, min, max, band };
  std::string name = {};  ///< as typed
  Kind kind = Kind::tail;
  std::string description = {};  ///< " of the tail (the rarest class row)"; {}: class or answer
  std::size_t row = 0;
  double from = 0, to = 0;
};

/// head, tail, max, min.
const std::vector<RowChoice>& named_rows();

/// left < right, or > <= >=: each side of the chosen row. Never where one is not finite.
struct Condition {
  Quantity left = {}, right = {};
  std::string sign = "<";
};

struct Query {
  enum class At {
    last,         ///< of a run that came to its end
    last_finite,  ///< of any run: the last step computed with finite numbers
    record,
    least,  ///< along the run
    largest,
    first,     ///< where `when` holds
    for_good,  ///< from which on it holds to the end
  };
  Quantity value = {};
  RowChoice rows = {};
  At at = At::last;
  std::size_t record = 0;
  std::optional<Condition> when = {};
  bool shows_step = false;  ///< the step, not the value at it

  bool searches() const { return at == At::first || at == At::for_good; }
};

/// What a query finds: in one run, or in several that differ in the seed alone.
struct TableCell {
  enum class Kind {
    number,   ///< `mean`, and where runs > 1 `half_width` or `low` and `high`
    beyond,   ///< the condition did not hold in any of the runs by step `beyond`
    words,    ///< `words`: "diverged", "failed", "7/10 reached", "no digits", a variable that is a text
    missing,  ///< no such run, or no value (where no prediction applies)
  };
  Kind kind = Kind::missing;
  int runs = 0;           ///< how many runs the cell is made of
  double mean = 0;        ///< finite
  double half_width = 0;  ///< of the 95 % confidence interval of the mean, Student's t with runs - 1 degrees
  std::optional<double> low = {}, high = {};  ///< ends of an interval that is not symmetric
  int digits = 17;                            ///< significant ones that rounding left
  bool counts = true;                         ///< whole numbers are printed as such, not as 1.00
  bool best = false;                          ///< of the row, as mark_best found; printed bold
  bool approximate = false;  ///< a number, but in one of the runs the quadrature missed its tolerance
  std::size_t record = 0;    ///< where a number of one run was read
  std::int64_t beyond = 0;
  std::string words = {};
};

TableCell answer(const Query& query, const std::vector<std::int64_t>& steps, const Run& run,
                 const Trajectory& trajectory);

/// How the numbers of runs that differ in the seed alone become one, each with a 95 % interval.
struct Average {
  std::string name;
  std::string description;
  /// Sets mean, and half_width or low and high; kind becomes `words` where the numbers have no such average.
  void (*of)(std::vector<double> numbers, TableCell& cell);
};

/// mean (Student's t), geometric-mean (Student's t of the logarithms), median (order statistics).
const std::vector<Average>& averages();

/// The answers of several runs as one. A number only where every one of them has a number: else the cell counts them.
TableCell together(const std::vector<TableCell>& cells, const Query& query,
                   const Average& average = averages().front());

/// Whether a run came to its end.
bool is_finished(const Trajectory& trajectory);

/// The last record with any number in it: runs of a sweep may be of different lengths.
std::size_t end_of(const Trajectory& trajectory, const std::vector<std::int64_t>& steps);

}  // namespace rarefact
