#pragma once

/// Tables for papers: a value of a result file by two groups of axes, averaged over seeds.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tables/view.hpp"

namespace rarefact {

/// What is asked for, as typed. An axis is a swept key (dots as typed, or its name in the file,
/// param_classes_exponent), "optimizer", "class" (a row of the per-class results), "answer" (of the per-answer
/// ones) or "step".
struct TableRequest {
  std::vector<std::string> rows = {};     ///< axes, outermost first; empty: one row
  std::vector<std::string> columns = {};  ///< axes; empty: one column
  std::string value = "loss";  ///< a variable of the file, or the ratio of two: "loss_predicted/loss"
  /// "last" of each run (also if empty), a recorded step, several with commas on an axis, or "max" or "min": the
  /// largest or least value along each run
  std::string at = {};
  std::string below = {};  ///< a number X: the first recorded step with value < X; excludes at and above
  std::string above = {};  ///< the same with value > X
  bool sustained = false;  ///< the step from which on it stays so; with below or above alone
  std::string class_row =
      {};  ///< "head", "tail" (also if empty), "min", "max" or an index of class_group or answer_group
  std::vector<std::string> where = {};  ///< KEY=VALUE each; several of one key mean any of them
};

/// Which row of classes or answers a cell shows.
struct ClassChoice {
  enum class Kind { row, head, tail, min, max };
  std::string name = {};  ///< as typed
  Kind kind = Kind::tail;
  std::string description = {};  ///< " of the tail (the rarest class row)"
  std::size_t row = 0;
};

enum class Best { least, largest };

/// A request resolved against its result: what a table shows.
struct TablePlan {
  std::vector<std::string> rows = {},
                           columns = {};  ///< axes: swept keys, "optimizer", "class", "answer", "step"
  std::vector<std::string> axes = {};     ///< both, rows first
  Quantity value = {};
  std::vector<std::size_t> runs = {}, optimizers = {};  ///< the indices of those that --where leaves
  /// Indices into the steps, one unless step is an axis; nothing: the last one of each run.
  std::vector<std::optional<std::size_t>> records = {std::nullopt};
  std::optional<Best> extreme = {};      ///< cells are the least or largest value along the run
  std::optional<double> threshold = {};  ///< cells are the first step with a value below or above it
  bool below = false, sustained = false;
  ClassChoice class_row = {};
  std::string moment = {};  ///< "at the last step (3000)", "< 0.1"

  bool has_axis(std::string_view name) const {
    return std::find(axes.begin(), axes.end(), name) != axes.end();
  }
  /// The groups on an axis.
  Along along_axis() const {
    return has_axis("class")    ? Along::class_groups
           : has_axis("answer") ? Along::answer_groups
                                : Along::nothing;
  }
};

/// InputError with every problem of the request.
TablePlan plan_table(const Result& result, const TableRequest& request);

/// A place on an axis.
using AxisValue = SweptValue;

struct TableCell {
  enum class Kind {
    number,   ///< `mean`, and `half_width` if runs > 1
    beyond,   ///< the threshold was not reached in any of the runs by step `beyond`
    words,    ///< `words`: "diverged", "failed", "7/10 reached", "no digits", a variable that is a text
    missing,  ///< no such run, or no value (where no prediction applies)
  };
  Kind kind = Kind::missing;
  int runs = 0;           ///< how many runs the cell is made of
  double mean = 0;        ///< finite
  double half_width = 0;  ///< of the 95 % confidence interval of the mean, Student's t with runs - 1 degrees
  int digits = 17;        ///< significant ones that rounding left
  bool counts = true;     ///< whole numbers are printed as such, not as 1.00
  bool best = false;      ///< of the row, as mark_best found; printed bold
  bool approximate = false;  ///< a number, but in one of the runs the quadrature missed its tolerance
  std::int64_t beyond = 0;
  std::string words = {};
};

struct Table {
  std::string description = {};  ///< what the cells show, one line
  std::string value = {};        ///< as asked for, or "steps to NAME < X": the head of a column without axes
  std::vector<std::string> row_keys = {}, column_keys = {};
  std::vector<std::vector<AxisValue>> row_heads = {}, column_heads = {};  ///< one place for each key
  std::vector<std::vector<TableCell>> cells = {};                         ///< [row][column]
  std::size_t values = 1;  ///< columns in turn show so many values, whose names are the last heads
  std::set<std::string> symbols = {};  ///< those of the keys above that are symbols, "s" or "η of gd"
};

/// The table of a result. Axis values stand in the order of the plan, optimizers in that of the experiment.
/// Runs that differ in the seed alone share a cell. A mean is shown only where every one of them has a
/// number: where some diverged, or did not reach the threshold, the cell counts them. InputError with every
/// problem of the request: unknown names with the nearest, and keys other than the seed in which runs of one
/// cell would differ: those that vary, are neither on an axis nor fixed by `where`, and do not only move with
/// keys that are.
Table pivot_table(const Result& result, const TableRequest& request);

/// Several values of one request side by side, each a column within each column head. InputError as above, or where
/// one is given twice.
Table pivot_table(const Result& result, TableRequest request, const std::vector<std::string>& values);

/// Marks in each row, for each value, the cell with the least or largest mean, and those whose mean is printed with
/// the same `digits`. Only numbers take part.
void mark_best(Table& table, Best best, int digits);

/// Names the keys in the heads by their symbols, where they have some: "s" for classes.exponent.
void name_by_symbols(Table& table);

/// "1.23", "1.23 ± 0.04", ">10^6", ">2000", "diverged", "-"; numbers with `digits` significant digits, or with those that are there.
std::string cell_text(const TableCell& cell, int digits);

enum class TableFormat { markdown, latex, csv };

/// What a table environment of LaTeX has around a tabular, both as LaTeX; empty: none. With neither there is no
/// environment.
struct LatexFloat {
  std::string caption = {}, label = {};
};

/// The table as text. Its first line is a comment "from FILE by: COMMAND", its second one the description.
/// Markdown and LaTeX numbers have at most `digits` >= 1 significant digits; CSV has every one that is there, and the columns
/// mean, half_width and n for each column of a table that has averages. LaTeX is a tabular of booktabs that
/// needs no other package; a comment more names characters that pdflatex does not know.
std::string format_table(const Table& table, TableFormat format, int digits, std::string_view file,
                         std::string_view command, const LatexFloat& around = {});

}  // namespace rarefact
