#pragma once

/// Tables for papers: values of a result file by two groups of axes, averaged over seeds.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tables/view.hpp"

namespace rarefact {

/// A request for a table, as typed. An axis is a swept key (with dots, or its name in the file, param_classes_exponent),
/// "optimizer", "class" or "answer" (a row of per-class or per-answer results), "band" or "step".
struct TableRequest {
  std::vector<std::string> rows = {};     ///< axes, outermost first; empty: one row
  std::vector<std::string> columns = {};  ///< axes; empty: one column
  /// Each a variable of the file, or an expression of some: "loss_predicted/loss"
  std::vector<std::string> values = {"loss"};
  /// "last" of each run (also if empty), a recorded step, or several with commas on an axis
  std::string at = {};
  std::string below = {};  ///< a number X: the first recorded step with value < X; excludes at, above, when
  std::string above = {};  ///< the same with value > X
  std::string when = {};   ///< "loss < 1": the value at the first recorded step where it holds
  bool sustained = false;  ///< the step from which on it stays so; only with below, above or when
  /// "max" or "min": the largest or least value along each run; "mean", "geometric-mean" or "median" of the
  /// runs that differ only in the seed; or one of either kind
  std::vector<std::string> over = {};
  /// "head", "tail" (also if empty), "min", "max", an index of class_group or answer_group, "rank:FROM-TO", or a band
  std::string class_row = {};
  std::vector<std::string> where = {};  ///< items KEY=VALUE; several with the same key mean any of them
};

struct TablePlan {
  /// Axes: swept keys, "optimizer", "class", "answer", "band", "step".
  std::vector<std::string> rows = {}, columns = {};
  std::vector<std::string> axes = {};  ///< both, rows first
  std::vector<Query> values = {};
  std::map<std::string, std::vector<std::string>> where = {};  ///< key or "optimizer" -> values, any of which
  std::vector<std::size_t> records = {};                       ///< on the axis step, or the one that is shown
  const Average* average = &averages().front();
  std::size_t max_rows = static_cast<std::size_t>(-1);  ///< only the first rows are kept

  bool has_axis(std::string_view name) const {
    return std::find(axes.begin(), axes.end(), name) != axes.end();
  }
  Along along_axis() const {
    return has_axis("class")    ? Along::class_groups
           : has_axis("answer") ? Along::answer_groups
           : has_axis("band")   ? Along::bands
                                : Along::nothing;
  }
  bool wants(const Run& run) const;
  bool wants(const std::string& optimizer) const;
};

/// Checks a request. Throws InputError with every problem of it.
TablePlan plan_table(const Result& result, const TableRequest& request);

using AxisValue = SweptValue;

struct Table {
  std::string description = {};  ///< what the cells show, one line
  std::string value = {};        ///< as typed, or "steps to NAME < X": the head of a column without axes
  std::vector<std::string> row_keys = {}, column_keys = {};
  std::vector<std::vector<AxisValue>> row_heads = {}, column_heads = {};  ///< a value for each key
  std::vector<std::vector<TableCell>> cells = {};                         ///< [row][column]
  std::string average = "mean";                                           ///< row of averages()
  std::size_t values = 1;              ///< side by side in each column head; their names are the last heads
  std::set<std::string> symbols = {};  ///< the keys above that are symbols, "s" or "η of gd"
};

/// The results of the queries of a plan, collected run by run, so that runs need not be in memory together. Axes are in
/// order of appearance, values side by side in each column head. Runs that differ only in the seed share a cell.
class Pivot {
 public:
  Pivot(TablePlan plan, std::vector<std::int64_t> steps);
  void add(const Run& run);
  /// True if rows were omitted because of max_rows.
  bool cut() const { return cut_; }
  Table table() const;

 private:
  using Place = std::vector<std::size_t>;  ///< the index of each coordinate on its axis
  void add(const Run& run, const std::vector<RunAnswers>& answers, std::size_t optimizer, std::size_t row,
           std::optional<std::size_t> record);

  TablePlan plan_;
  std::vector<std::int64_t> steps_;
  std::vector<std::map<AxisValue, std::size_t>> places_;                          ///< by axis
  std::map<Place, std::vector<AxisValue>> heads_[2];                              ///< of rows and columns
  std::map<std::pair<Place, Place>, std::vector<std::vector<TableCell>>> cells_;  ///< by value and run
  std::optional<Run> first_;  ///< without its trajectories
  bool same_classes_ = true, same_answers_ = true, cut_ = false;
};

/// The table of a result. Axis values are in the order of the plan, optimizers in that of the experiment. A mean is shown
/// only if every run of a cell has a number; else the cell counts those that diverged or missed the threshold. Throws
/// InputError with every problem of the request: unknown names with the nearest, repeated values, and swept keys besides
/// the seed in which runs of a cell differ, being neither on an axis, nor fixed by `where`, nor determined by such keys.
Table pivot_table(const Result& result, const TableRequest& request);

/// Replaces the keys in the heads by their symbols, if they have one: "s" for classes.exponent.
void name_by_symbols(Table& table);

/// The mean of a cell with the digits that are claimed.
double claimed(const TableCell& cell);

/// "1.23", "1.23 ± 0.04", ">10^6", "diverged", "-"; numbers with `digits` significant digits, or those that rounding
/// leaves.
std::string cell_text(const TableCell& cell, int digits);

enum class TableFormat { markdown, latex, csv };

/// Caption and label of a LaTeX table environment, both as LaTeX. If both are empty there is none.
struct LatexFloat {
  std::string caption = {}, label = {};
};

/// The table as text. Its first line is a comment "from FILE by: COMMAND", its second one the description.
/// Numbers in Markdown and LaTeX have at most `digits` >= 1 significant digits; CSV has all digits, and for
/// averages the columns mean, half_width and n per column. LaTeX is a tabular that needs only booktabs.
std::string format_table(const Table& table, TableFormat format, int digits, std::string_view file,
                         std::string_view command, const LatexFloat& around = {});

/// A tabular with the rules of booktabs. Numbers are plain mathematics, texts are escaped; repeated outer
/// heads are omitted. With a caption or label it is in a table environment.
std::string latex_table(const Table& table, int digits, const LatexFloat& around);

}  // namespace rarefact
