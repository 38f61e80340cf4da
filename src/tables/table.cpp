#include "tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/catalogue.hpp"
#include "tables/table_parts.hpp"

namespace rarefact {

namespace {

using AxisKind = TableAxis::Kind;

bool has_axis(const std::vector<TableAxis>& axes, AxisKind kind) {
  return std::any_of(axes.begin(), axes.end(), [&](const TableAxis& axis) { return axis.kind == kind; });
}

/// The places on one axis, in the order in which they are first met.
class Places {
 public:
  std::size_t of(const AxisValue& value) {
    const auto [place, fresh] = index_.emplace(value, values_.size());
    if (fresh) values_.push_back(value);
    return place->second;
  }
  const AxisValue& operator[](std::size_t place) const { return values_[place]; }
  std::size_t size() const { return values_.size(); }

 private:
  std::map<AxisValue, std::size_t> index_;
  std::vector<AxisValue> values_;
};

/// What a class row is called: "0: rank 1" or "0: rank 500, 1000 classes", the middle one's, where every run
/// has the same classes; else its index.
std::vector<std::string> class_labels(const Result& result, const std::vector<std::size_t>& runs) {
  const Run& first = result.runs[runs.front()];
  const auto same = [&](std::size_t run) {
    return result.runs[run].class_count == first.class_count &&
           result.runs[run].class_log_rank == first.class_log_rank;
  };
  if (!std::all_of(runs.begin(), runs.end(), same)) return {};
  std::vector<std::string> labels;
  for (std::size_t row = 0; row < first.class_count.size(); ++row) {
    const AxisValue count = first.class_count[row];
    labels.push_back(fmt::format("{}: rank {:.4g}", row, std::exp(first.class_log_rank[row])));
    if (first.class_count[row] != 1) labels.back() += fmt::format(", {} classes", axis_text(count));
  }
  return labels;
}

class Pivot {
 public:
  Pivot(const Result& result, const TableRequest& request) : result_(result), request_(request) {
    rows_ = table_axes(result, "rows", request.rows, problems_);
    columns_ = table_axes(result, "columns", request.columns, problems_);
    axes_ = rows_;
    axes_.insert(axes_.end(), columns_.begin(), columns_.end());
    refuse_repeated_axes();
    value_ = table_value(result, request.value, problems_);
    choice_ = table_choice(result, request.where, problems_);
    moment_ = table_moment(result, choice_.runs, request, has_axis(axes_, AxisKind::step), value_, problems_);
    class_ = table_class(result, request, has_axis(axes_, AxisKind::class_row), value_, problems_);
    if (value_ && !value_->per_optimizer && !has_axis(axes_, AxisKind::optimizer) &&
        !choice_.optimizers.empty())
      choice_.optimizers.erase(choice_.optimizers.begin() + 1, choice_.optimizers.end());
    if (axes_.size() == request.rows.size() + request.columns.size()) refuse_free_keys();
    problems_.throw_if_any();
    if (choice_.runs.empty()) throw InputError("--where: no run of the file has all of these values");
  }

  Table table() {
    places_.resize(axes_.size());
    if (has_axis(axes_, AxisKind::class_row)) class_labels_ = class_labels(result_, choice_.runs);
    for (const std::size_t run : choice_.runs) {
      for (const std::size_t optimizer : choice_.optimizers) add(result_.runs[run], optimizer);
    }
    return laid_out();
  }

 private:
  void refuse_repeated_axes() {
    std::set<std::string> seen;
    for (const TableAxis& axis : axes_) {
      if (!seen.insert(axis.key).second) problems_.add(fmt::format("the axis {} is given twice", axis.key));
    }
  }

  /// What a run has of the swept keys on the axes: the same for all runs of a cell.
  std::vector<AxisValue> cell_keys(const Run& run) const {
    std::vector<AxisValue> values;
    for (const TableAxis& axis : axes_) {
      if (axis.kind == AxisKind::key) values.push_back(swept_value(run, axis.key));
    }
    return values;
  }

  /// The values of a swept key in the chosen runs, if some cell would mix them; else none.
  std::vector<std::string> mixed_values(const std::string& key) const {
    Places met;
    std::map<std::vector<AxisValue>, std::size_t> of_cell;
    bool mixed = false;
    for (const std::size_t run : choice_.runs) {
      const std::size_t value = met.of(swept_value(result_.runs[run], key));
      mixed = mixed || of_cell.emplace(cell_keys(result_.runs[run]), value).first->second != value;
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; mixed && i < met.size(); ++i) texts.push_back(axis_text(met[i]));
    return texts;
  }

  /// Runs that differ in anything but the seed must not share a cell.
  void refuse_free_keys() {
    std::vector<std::string> free;
    const auto add = [&](const std::string& key, const std::vector<std::string>& values) {
      if (values.size() > 1) free.push_back(fmt::format("{} ({})", key, joined(values)));
    };
    for (const std::string& key : swept_keys(result_)) {
      if (key != "seed") add(key, mixed_values(key));
    }
    if (!has_axis(axes_, AxisKind::optimizer)) {
      std::vector<std::string> labels;
      for (const std::size_t o : choice_.optimizers) labels.push_back(result_.optimizers[o]);
      add("optimizer", labels);
    }
    if (!free.empty()) {
      problems_.add(fmt::format(
          "a cell would mix runs that differ in {}: put each on --rows or --columns, or fix it with "
          "--where KEY=VALUE",
          joined(free, " and in ")));
    }
  }

  /// One sample for every class row and record on an axis.
  void add(const Run& run, std::size_t optimizer) {
    const bool class_axis = has_axis(axes_, AxisKind::class_row), step_axis = has_axis(axes_, AxisKind::step);
    TableClass chosen = class_;
    TableMoment moment = moment_;
    for (std::size_t row = 0; row < (class_axis ? run.class_count.size() : 1); ++row) {
      if (class_axis) chosen = {.kind = TableClass::Kind::row, .row = row};
      for (std::size_t s = 0; s < (step_axis ? moment_.records.size() : 1); ++s) {
        if (step_axis) moment.records.assign(1, moment_.records[s]);
        const auto sample =
            table_sample(*value_, run, run.trajectories[optimizer], result_.steps, moment, chosen);
        std::vector<std::size_t> place;
        for (std::size_t a = 0; a < axes_.size(); ++a) {
          place.push_back(
              places_[a].of(place_on(axes_[a], run, optimizer, row, step_axis ? moment.records.front() : 0)));
        }
        const auto split = place.begin() + static_cast<std::ptrdiff_t>(rows_.size());
        samples_[{place.begin(), split}][{split, place.end()}].push_back(sample);
      }
    }
  }

  AxisValue place_on(const TableAxis& axis, const Run& run, std::size_t optimizer, std::size_t row,
                     std::size_t record) const {
    switch (axis.kind) {
      case AxisKind::optimizer:
        return result_.optimizers[optimizer];
      case AxisKind::class_row:
        return class_labels_.empty() ? AxisValue(static_cast<double>(row)) : AxisValue(class_labels_[row]);
      case AxisKind::step:
        return static_cast<double>(result_.steps[record]);
      case AxisKind::key:
        break;
    }
    return swept_value(run, axis.key);
  }

  std::vector<AxisValue> head(const std::vector<std::size_t>& place, std::size_t first_axis) const {
    std::vector<AxisValue> values;
    for (std::size_t i = 0; i < place.size(); ++i) values.push_back(places_[first_axis + i][place[i]]);
    return values;
  }

  Table laid_out() const {
    Table table{.description = description(), .value = value_->name};
    if (moment_.crossing()) table.value = fmt::format("steps to {} {}", value_->name, moment_.description);
    for (const TableAxis& axis : rows_) table.row_keys.push_back(axis.key);
    for (const TableAxis& axis : columns_) table.column_keys.push_back(axis.key);
    std::set<std::vector<std::size_t>> columns;
    for (const auto& [row, cells] : samples_) {
      for (const auto& cell : cells) columns.insert(cell.first);
    }
    for (const auto& column : columns) table.column_heads.push_back(head(column, rows_.size()));
    int most = 0;
    bool approximate = false;
    for (const auto& [row, cells] : samples_) {
      table.row_heads.push_back(head(row, 0));
      auto& line = table.cells.emplace_back();
      for (const auto& column : columns) {
        const auto found = cells.find(column);
        line.push_back(found == cells.end() ? TableCell{} : table_cell(found->second, moment_.crossing()));
        line.back().counts = moment_.crossing() || value_->counts;
        most = std::max(most, line.back().runs);
        approximate = approximate || line.back().approximate;
      }
    }
    if (most > 1 && value_->number) {
      table.description += fmt::format(
          "; mean and 95 % confidence interval (Student t) over up to {} runs that differ in the seed", most);
    }
    if (approximate) {
      table.description +=
          "; ≈: the error of the quadrature is above its tolerance, see the variable quadrature_error";
    }
    return table;
  }

  std::string description() const {
    if (moment_.crossing()) {
      return fmt::format("first recorded step with {}{} {}; {}: {}", value_->name, class_.description,
                         moment_.description, value_->name, value_->meaning);
    }
    const std::string when =
        value_->per_step && !moment_.description.empty() ? " " + moment_.description : "";
    return fmt::format("{}{}{}: {}", value_->name, class_.description, when, value_->meaning);
  }

  const Result& result_;
  const TableRequest& request_;
  TableProblems problems_;
  std::vector<TableAxis> rows_, columns_, axes_;  // axes_: both, rows first
  std::optional<TableValue> value_;
  TableMoment moment_;
  TableClass class_;
  TableChoice choice_;
  std::vector<std::string> class_labels_;
  std::vector<Places> places_;  // of each axis
  std::map<std::vector<std::size_t>, std::map<std::vector<std::size_t>, std::vector<TableSample>>> samples_;
};

}  // namespace

Table pivot_table(const Result& result, const TableRequest& request) {
  return Pivot(result, request).table();
}

}  // namespace rarefact
