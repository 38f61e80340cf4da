#pragma once

// What the files that make tables share: the value asked for, and where and when it is read.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "tables/table.hpp"

namespace rarefact {

/// Everything that is wrong with a request.
class TableProblems {
 public:
  void add(std::string message) { problems_.push_back({"", 0, 0, std::move(message)}); }
  /// InputError if there are any.
  void throw_if_any() {
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

 private:
  std::vector<Problem> problems_;
};

/// '; did you mean NAME?', or nothing.
std::string table_hint(const std::string& typed, const std::vector<std::string>& names);

/// A finite number that is all of the text.
std::optional<double> number_from(const std::string& text);

/// A variable of the file, or the ratio of two.
struct TableValue {
  /// The value at a record and class row; NaN where there is none.
  using Reader = std::function<double(std::size_t record, std::size_t row)>;

  std::string name = {};
  std::string meaning = {};  ///< with the unit
  bool per_optimizer = true;
  bool per_step = false;
  bool per_class = false;
  bool counts = true;  ///< whether a whole number may be a count, not a ratio that rounding made whole
  std::function<Reader(const Run&, const Trajectory&)> number = {};     ///< empty for a text
  std::function<std::string(const Run&, const Trajectory&)> text = {};  ///< empty for a number
};

std::optional<TableValue> table_value(const Result& result, const std::string& typed,
                                      TableProblems& problems);

/// Which step a cell shows.
struct TableMoment {
  enum class Kind { last, records, below, above };
  Kind kind = Kind::last;
  std::vector<std::size_t> records = {};  ///< `records`: indices into the steps, one unless step is an axis
  double threshold = 0;
  bool crossing() const { return kind == Kind::below || kind == Kind::above; }
  std::string description = {};
};

/// `runs`: the indices of those that the table is about.
TableMoment table_moment(const Result& result, const std::vector<std::size_t>& runs,
                         const TableRequest& request, bool step_axis, const std::optional<TableValue>& value,
                         TableProblems& problems);

/// Which class row a cell shows.
struct TableClass {
  enum class Kind { row, tail, min, max };
  Kind kind = Kind::tail;
  std::size_t row = 0;
  std::string description = {};  ///< "the tail"
};

TableClass table_class(const Result& result, const TableRequest& request, bool class_axis,
                       const std::optional<TableValue>& value, TableProblems& problems);

/// One run's share of a cell.
struct TableSample {
  enum class Kind { number, not_reached, ended, missing, text };
  Kind kind = Kind::missing;
  double number = 0;           ///< the value, or the step of a crossing
  bool approximate = false;    ///< number: of a run without its certificate
  std::int64_t last_step = 0;  ///< not_reached: the last step that was looked at
  std::string text = {};       ///< ended: the status of the run
};

TableSample table_sample(const TableValue& value, const Run& run, const Trajectory& trajectory,
                         const std::vector<std::int64_t>& steps, const TableMoment& moment,
                         const TableClass& chosen);

/// The cell of the samples of several runs. `crossing`: they are steps until a threshold.
TableCell table_cell(const std::vector<TableSample>& samples, bool crossing);

/// One axis and the places on it.
struct TableAxis {
  enum class Kind { key, optimizer, class_row, step };
  Kind kind = Kind::key;
  std::string key = {};  ///< the swept key, or the axis' name
};

/// What --where leaves of the file.
struct TableChoice {
  std::vector<std::size_t> runs = {}, optimizers = {};
};

/// The axes of --rows or --columns.
std::vector<TableAxis> table_axes(const Result& result, const std::string& option,
                                  const std::vector<std::string>& typed, TableProblems& problems);

TableChoice table_choice(const Result& result, const std::vector<std::string>& where,
                         TableProblems& problems);

/// Every swept key of the file, in alphabetical order.
std::vector<std::string> swept_keys(const Result& result);

/// The value of a swept key in a run; "-" where the run has none.
AxisValue swept_value(const Run& run, const std::string& key);

/// Text of an axis value: whole numbers in digits up to ten million, else the shortest form of 12 digits.
std::string axis_text(const AxisValue& value);

/// "1.23", "0.900", "1.20e-05": `digits` significant digits; counts below a million as they are.
std::string number_text(double x, int digits, bool counts = true);

/// "1.23 ± 0.04", "(1.23 ± 0.04)e-05": the mean with `digits` significant digits, the half width with as many
/// decimals, or its first digit where that is finer.
std::string interval_text(double mean, double half_width, int digits);

}  // namespace rarefact
