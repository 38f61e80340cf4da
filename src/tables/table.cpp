#include "tables/table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"

namespace rarefact {

namespace {

/// The name of a class row: "0: rank 1", "0: rank 1, the" for a class with a name, or "0: rank 500, 1000
/// classes" with the middle rank; for an answer row its fan-in.
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

std::string description(const TablePlan& plan, int max_runs, bool approximate) {
  const Query& query = plan.query;
  std::string text = query.value.name + query.rows.description;
  if (query.shows_step) {
    const bool for_good = query.at == Query::At::for_good;
    text = fmt::format("first recorded step {} {} {}{}; {}", for_good ? "from which on" : "with", text,
                       for_good ? "stays " : "", plan.moment, query.value.name);
  } else if (query.value.per_step && !plan.moment.empty()) {
    text += " " + plan.moment;
  }
  text += ": " + query.value.meaning;
  if (max_runs > 1 && query.value.numbers)
    text += fmt::format(
        "; {} over up to {} runs that differ in the seed{}", plan.average->description, max_runs,
        query.shows_step && plan.average->censored ? "; runs that never get there count as later" : "");
  if (approximate)
    text += fmt::format(
        "; ≈: {}the certified error is above its tolerance, see quadrature_error and fast_forward_error",
        query.rows.kind == RowChoice::Kind::band ? "a mean over quadrature nodes, or " : "");
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

Pivot::Pivot(std::vector<TablePlan> plans, std::vector<std::int64_t> steps)
    : plans_(std::move(plans)), steps_(std::move(steps)), places_(plans_.front().axes.size()) {}

void Pivot::add(const Run& run) {
  const TablePlan& plan = plans_.front();
  if (!plan.wants(run)) return;
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
      std::ranges::none_of(plans_, [](const auto& item) { return item.query.value.per_optimizer; }) &&
      !plan.has_axis("optimizer");
  for (const Trajectory& trajectory : run.trajectories) {
    if (!plan.wants(trajectory.optimizer)) continue;
    for (std::size_t row = 0; row < width_of(run, plan.along_axis()); ++row) {
      for (const std::size_t record : plan.records) add(run, trajectory, row, record);
      if (!plan.has_axis("step")) add(run, trajectory, row, std::nullopt);
    }
    if (any_optimizer) return;
  }
}

void Pivot::add(const Run& run, const Trajectory& trajectory, std::size_t row,
                std::optional<std::size_t> record) {
  const std::vector<std::string>& axes = plans_.front().axes;
  Place place[2];
  std::vector<AxisValue> head[2];
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const AxisValue value = axes[a] == "optimizer"                      ? trajectory.optimizer
                            : axes[a] == "class" || axes[a] == "answer" ? static_cast<double>(row)
                            : axes[a] == "step"                         ? static_cast<double>(steps_[*record])
                                                                        : swept_value(run, axes[a]);
    const bool column = a >= plans_.front().rows.size();
    head[column].push_back(value);
    place[column].push_back(places_[a].emplace(value, places_[a].size()).first->second);
  }
  if (!heads_[0].contains(place[0]) && heads_[0].size() >= plans_.front().max_rows) {
    cut_ = true;
    return;
  }
  for (const bool column : {false, true}) heads_[column].emplace(place[column], head[column]);
  auto& cells = cells_[{place[0], place[1]}];
  cells.resize(plans_.size());
  for (std::size_t value = 0; value < plans_.size(); ++value) {
    Query query = plans_[value].query;
    if (plans_.front().along_axis() != Along::nothing)
      query.rows = {.kind = RowChoice::Kind::row, .row = row};
    if (record) {
      query.at = Query::At::record;
      query.record = *record;
    }
    cells[value].push_back(answer(query, steps_, run, trajectory));
  }
}

Table Pivot::table() const {
  const TablePlan& plan = plans_.front();
  Table table{.value = plan.query.value.name,
              .row_keys = plan.rows,
              .column_keys = plan.columns,
              .average = plan.average->name,
              .values = plans_.size()};
  const auto named = [&](std::vector<AxisValue> head, std::size_t first_axis) {
    for (std::size_t i = 0; i < head.size(); ++i) {
      const std::string& axis = plan.axes[first_axis + i];
      if ((axis == "class" && same_classes_) || (axis == "answer" && same_answers_))
        head[i] = row_label(*first_, static_cast<std::size_t>(std::get<double>(head[i])), axis == "answer");
    }
    return head;
  };
  const auto value_name = [](const TablePlan& shown) {
    const Query& query = shown.query;
    if (!query.shows_step) return query.value.name;
    return fmt::format("steps to {} {}{}", query.value.name, shown.moment,
                       query.at == Query::At::for_good ? " for good" : "");
  };
  table.value = value_name(plan);
  if (plans_.size() > 1) table.column_keys.emplace_back("value");
  for (const auto& column : heads_[1]) {
    for (const TablePlan& entry : plans_) {
      table.column_heads.push_back(named(column.second, plan.rows.size()));
      if (plans_.size() > 1) table.column_heads.back().emplace_back(value_name(entry));
    }
  }
  std::vector<int> max_runs(plans_.size(), 0);
  std::vector<bool> approximate(plans_.size(), false);
  for (const auto& [row, head] : heads_[0]) {
    table.row_heads.push_back(named(head, 0));
    auto& line = table.cells.emplace_back();
    for (const auto& [column, unused] : heads_[1]) {
      const auto found = cells_.find({row, column});
      for (std::size_t value = 0; value < plans_.size(); ++value) {
        const Query& query = plans_[value].query;
        TableCell cell =
            found == cells_.end() ? TableCell{} : together(found->second[value], query, *plan.average);
        cell.counts = query.shows_step || query.value.counts;
        max_runs[value] = std::max(max_runs[value], cell.runs);
        approximate[value] = approximate[value] || cell.approximate;
        line.push_back(cell);
      }
    }
  }
  for (std::size_t value = 0; value < plans_.size(); ++value) {
    table.description +=
        (value > 0 ? " | " : "") + description(plans_[value], max_runs[value], approximate[value]);
  }
  return table;
}

Table pivot_table(const Result& result, TableRequest request, const std::vector<std::string>& values) {
  std::vector<TablePlan> plans;
  std::vector<Problem> problems;
  for (const std::string& value : values) {
    if (std::ranges::count(values, value) > 1) throw bad_input("--value: {} is given twice", value);
    request.value = value;
    try {
      plans.push_back(plan_table(result, request));
    } catch (const InputError& error) {
      // Problems that do not depend on the value are reported once.
      for (const Problem& problem : error.problems()) {
        const auto same = [&](const Problem& other) { return other.message == problem.message; };
        if (std::ranges::none_of(problems, same)) problems.push_back(problem);
      }
    }
  }
  raise(std::move(problems));
  Pivot pivot(std::move(plans), result.steps);
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
