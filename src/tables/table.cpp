#include "tables/table.hpp"

#include "core/transform.hpp"
#include "experiment/keys.hpp"

namespace rarefact {

namespace {

/// "0: rank 1", "0: rank 1, the" for a class with a name, "0: rank 500, 1000 classes" with the middle rank; of answers the
/// fan-in.
std::string row_label(const Run& run, std::size_t row, bool answers) {
  const double count = answers ? run.answers->count[row] : run.class_count[row];
  std::string text = answers ? fmt::format("{}: fan-in {:.4g}", row, run.answers->fan_in[row])
                             : fmt::format("{}: rank {:.4g}", row, std::exp(run.class_log_rank[row]));
  if (count != 1) return text + fmt::format(", {} {}", axis_text(count), answers ? "answers" : "classes");
  const bool named = !answers && !run.class_label.empty() && !run.class_label[row].empty();
  return named ? text + ", " + run.class_label[row] : text;
}

bool same_classes(const Run& a, const Run& b) {
  return a.class_count == b.class_count && a.class_log_rank == b.class_log_rank &&
         a.class_label == b.class_label;
}

bool same_answers(const Run& a, const Run& b) {
  return a.answers && b.answers && a.answers->count == b.answers->count &&
         a.answers->fan_in == b.answers->fan_in;
}

/// Counts over all cells of a value, for its description.
struct Shown {
  int max_runs = 0, numbers = 0,
      measured = 0;  ///< runs in a cell; of all cells those with a number, and with measured digits
  bool approximate = false;

  void add(const TableCell& cell) {
    max_runs = std::max(max_runs, cell.runs);
    approximate = approximate || cell.approximate;
    if (cell.kind == TableCell::Kind::number) numbers += cell.runs;
    measured += cell.measured;
  }
};

std::string description(const Query& query, const Average& average, const Shown& shown) {
  std::string text = query.value.name + query.rows.description;
  if (query.shows_step) {
    const bool for_good = query.at == Query::At::for_good;
    text = fmt::format("first recorded step {} {} {}{}; {}", for_good ? "from which on" : "with", text,
                       for_good ? "stays " : "", query.moment, query.value.name);
  } else if (query.value.per_step && !query.moment.empty()) {
    text += " " + query.moment;
  }
  text += ": " + query.value.meaning;
  if (shown.max_runs > 1 && query.value.text == nullptr)
    text +=
        fmt::format("; {} over up to {} runs that differ in the seed{}", average.description, shown.max_runs,
                    query.shows_step && average.censored ? "; runs that never get there count as later" : "");
  if (shown.approximate)
    text += fmt::format(
        "; ≈: {}the estimated error is above its tolerance, see quadrature_error and fast_forward_error",
        query.rows.kind == RowChoice::Kind::band || query.value.over_classes
            ? "of quadrature nodes that stand for all classes, or "
            : "");
  if (shown.measured > 0 && shown.measured < shown.numbers)
    text += fmt::format("; digits were measured in {} of {} {}", shown.measured, shown.numbers,
                        shown.max_runs > 1 ? "runs of the cells" : "cells");
  return text;
}

}  // namespace

bool TablePlan::wants(const Run& run) const {
  return std::ranges::all_of(where, [&](const auto& wanted) {
    return wanted.first == "optimizer" || means_any(swept_value(run, wanted.first), wanted.second);
  });
}

bool TablePlan::wants(const std::string& optimizer) const {
  const auto wanted = where.find("optimizer");
  return wanted == where.end() || means_any(optimizer, wanted->second);
}

Pivot::Pivot(TablePlan plan, std::vector<std::int64_t> steps)
    : plan_(std::move(plan)), steps_(std::move(steps)), places_(plan_.axes.size()) {}

void Pivot::add(const Run& run) {
  if (!plan_.wants(run)) return;
  if (!first_) {
    first_.emplace();
    first_->class_count = run.class_count;
    first_->class_log_rank = run.class_log_rank;
    first_->class_label = run.class_label;
    first_->answers = run.answers;
  }
  same_classes_ = same_classes_ && same_classes(run, *first_);
  same_answers_ = same_answers_ && same_answers(run, *first_);
  const bool any_optimizer =
      std::ranges::none_of(plan_.values, [](const auto& item) { return item.value.per_optimizer; }) &&
      !plan_.has_axis("optimizer");
  const auto answers = mapped(plan_.values, [&](const Query& item) { return RunAnswers(item, steps_, run); });
  for (std::size_t o = 0; o < run.trajectories.size(); ++o) {
    if (!plan_.wants(run.trajectories[o].optimizer)) continue;
    for (std::size_t row = 0; row < width_of(run, plan_.along_axis()); ++row) {
      for (const std::size_t record : plan_.records) add(run, answers, o, row, record);
      if (plan_.records.empty()) add(run, answers, o, row, std::nullopt);
    }
    if (any_optimizer) return;
  }
}

void Pivot::add(const Run& run, const std::vector<RunAnswers>& answers, std::size_t optimizer,
                std::size_t row, std::optional<std::size_t> record) {
  const std::vector<std::string>& axes = plan_.axes;
  Place place[2];
  std::vector<AxisValue> head[2];
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const AxisValue value = axes[a] == "optimizer" ? run.trajectories[optimizer].optimizer
                            : axes[a] == "class" || axes[a] == "answer" ? static_cast<double>(row)
                            : axes[a] == "band"                         ? AxisValue(run.band_name[row])
                            : axes[a] == "step"                         ? static_cast<double>(steps_[*record])
                                                                        : swept_value(run, axes[a]);
    const bool column = a >= plan_.rows.size();
    head[column].push_back(value);
    place[column].push_back(places_[a].emplace(value, places_[a].size()).first->second);
  }
  if (!heads_[0].contains(place[0]) && heads_[0].size() >= plan_.max_rows) {
    cut_ = true;
    return;
  }
  for (const bool column : {false, true}) heads_[column].emplace(place[column], head[column]);
  auto& cells = cells_[{place[0], place[1]}];
  cells.resize(plan_.values.size());
  const bool grouped = plan_.along_axis() != Along::nothing;
  for (std::size_t value = 0; value < plan_.values.size(); ++value)
    cells[value].push_back(answers[value](optimizer, grouped ? std::optional(row) : std::nullopt, record));
}

Table Pivot::table() const {
  Table table{.row_keys = plan_.rows,
              .column_keys = plan_.columns,
              .average = plan_.average->name,
              .values = plan_.values.size()};
  const auto named = [&](std::vector<AxisValue> head, std::size_t first_axis) {
    for (std::size_t i = 0; i < head.size(); ++i) {
      const std::string& axis = plan_.axes[first_axis + i];
      if ((axis == "class" && same_classes_) || (axis == "answer" && same_answers_))
        head[i] = row_label(*first_, static_cast<std::size_t>(std::get<double>(head[i])), axis == "answer");
    }
    return head;
  };
  const auto value_name = [](const Query& query) {
    if (!query.shows_step) return query.value.name;
    return fmt::format("steps to {} {}{}", query.value.name, query.moment,
                       query.at == Query::At::for_good ? " for good" : "");
  };
  table.value = value_name(plan_.values.front());
  if (plan_.values.size() > 1) table.column_keys.emplace_back("value");
  for (const auto& column : heads_[1]) {
    for (const Query& entry : plan_.values) {
      table.column_heads.push_back(named(column.second, plan_.rows.size()));
      if (plan_.values.size() > 1) table.column_heads.back().emplace_back(value_name(entry));
    }
  }
  std::vector<Shown> shown(plan_.values.size());
  for (const auto& [row, head] : heads_[0]) {
    table.row_heads.push_back(named(head, 0));
    auto& line = table.cells.emplace_back();
    for (const auto& [column, unused] : heads_[1]) {
      const auto found = cells_.find({row, column});
      for (std::size_t value = 0; value < plan_.values.size(); ++value) {
        const Query& query = plan_.values[value];
        TableCell cell = found == cells_.end()
                             ? TableCell{}
                             : together(found->second[value], query.when.has_value(), *plan_.average);
        cell.counts = query.shows_step || query.value.counts;
        shown[value].add(cell);
        line.push_back(cell);
      }
    }
  }
  for (std::size_t value = 0; value < plan_.values.size(); ++value) {
    table.description +=
        (value > 0 ? " | " : "") + description(plan_.values[value], *plan_.average, shown[value]);
  }
  return table;
}

Table pivot_table(const Result& result, const TableRequest& request) {
  Pivot pivot(plan_table(result, request), result.steps);
  for (const Run& run : result.runs) pivot.add(run);
  return pivot.table();
}

void name_by_symbols(Table& table) {
  for (auto* keys : {&table.row_keys, &table.column_keys}) {
    for (std::string& key : *keys) {
      const std::string symbol = symbol_of(key);
      if (symbol != key) table.symbols.insert(symbol);
      key = symbol;
    }
  }
}

}  // namespace rarefact
