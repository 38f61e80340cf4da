#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "metrics/metric.hpp"
#include "rarefact/catalogue.hpp"
#include "rarefact/error.hpp"
#include "results/result_fields.hpp"
#include "tables/table.hpp"

namespace rarefact {

namespace {

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

std::optional<double> whole_number(std::string_view text) {
  const auto number = parse_number<double>(text);
  return number && std::isfinite(*number) && *number >= 0 && *number == std::floor(*number) ? number
                                                                                            : std::nullopt;
}

/// {}: class or answer.
const std::vector<ClassChoice> class_choices = {
    {"head", ClassChoice::Kind::head, " of the head (the most frequent {} row)"},
    {"tail", ClassChoice::Kind::tail, " of the tail (the rarest {} row)"},
    {"max", ClassChoice::Kind::max, " (max over the {} rows)"},
    {"min", ClassChoice::Kind::min, " (min over the {} rows)"},
};

class Planner {
 public:
  Planner(const Result& result, const TableRequest& request)
      : result_(result), request_(request), keys_(swept_keys(result)) {}

  TablePlan plan() {
    read_axes("rows", request_.rows, plan_.rows);
    read_axes("columns", request_.columns, plan_.columns);
    read_value();
    read_where();
    read_moment();
    read_class();
    const bool any_optimizer = !plan_.value.per_optimizer && !plan_.has_axis("optimizer");
    if (any_optimizer && plan_.optimizers.size() > 1) plan_.optimizers.resize(1);
    if (plan_.axes.size() == request_.rows.size() + request_.columns.size()) refuse_mixed_cells();
    if (!problems_.empty()) throw InputError(std::move(problems_));
    if (plan_.runs.empty()) throw InputError("--where: no run of the file has all of these values");
    return std::move(plan_);
  }

 private:
  template <class... Parts>
  void refuse(fmt::format_string<Parts...> message, Parts&&... parts) {
    problems_.push_back(problem_of(message, std::forward<Parts>(parts)...));
  }

  /// One of `others`, or the swept key of that name, as typed in the experiment or as in the file; empty, and
  /// a problem, if there is none.
  std::string coordinate(const std::string& option, const std::string& typed,
                         const std::vector<std::string>& others) {
    if (std::find(others.begin(), others.end(), typed) != others.end()) return typed;
    for (const std::string& key : keys_) {
      if (typed == key || typed == parameter_variable(key)) return key;
    }
    std::vector<std::string> names = keys_;
    names.insert(names.end(), others.begin(), others.end());
    refuse("--{}: \"{}\" {}{}; {}; others: {}", option, typed,
           find_key(typed) != nullptr ? "does not vary in the file" : "is no swept key of the file",
           did_you_mean(nearest_name(typed, names), ""),
           keys_.empty() ? "the file has no sweep" : "swept keys: " + joined(keys_), joined(others));
    return {};
  }

  /// All axes that are no swept keys.
  std::vector<std::string> groups_axes() const {
    std::vector<std::string> axes = {"optimizer", "class", "step"};
    if (has_answers(result_)) axes.insert(axes.end() - 1, "answer");
    return axes;
  }

  void read_axes(const std::string& option, const std::vector<std::string>& typed,
                 std::vector<std::string>& axes) {
    for (const std::string& one : typed) {
      // The name of a joint axis has a blank after each comma.
      const std::size_t begin = std::min(one.find_first_not_of(' '), one.size());
      const std::string name = one.substr(begin, one.find_last_not_of(' ') + 1 - begin);
      const std::string axis = coordinate(option, name, groups_axes());
      if (plan_.has_axis(axis)) refuse("the axis {} is given twice", axis);
      if (axis.empty()) continue;
      axes.push_back(axis);
      plan_.axes.push_back(axis);
    }
  }

  /// A variable that the file does not have is taken for one with steps and classes, so that nothing else is
  /// refused for its sake.
  Quantity variable(const std::string& typed) {
    std::vector<std::string> names;
    for (const Quantity& quantity : quantities(result_)) {
      if (quantity.name == typed) return quantity;
      names.push_back(quantity.name);
    }
    const MetricRow* metric = find_row(metric_catalogue(), typed);
    const bool squares = contains(names, std::string("coefficient"));
    if (metric != nullptr && !metric->is_of(squares)) {
      refuse(
          "--value: \"{}\" is {}, and the loss of this file is {} (model.loss); a loss, class losses and the class's {} are there",
          typed, squares ? "of probabilities, which least squares has not" : "of least squares",
          squares ? "least_squares" : "softmax", squares ? "coefficient" : "error");
      any_groups_ = true;
      return {.per_step = true, .along = Along::class_groups};
    }
    refuse(
        "--value: the file has no variable \"{}\"{}; there are {}, and ratios of two such as excess_loss/loss",
        typed, did_you_mean(nearest_name(typed, names), ""), joined(names));
    any_groups_ = true;
    return {.per_step = true, .along = Along::class_groups};
  }

  void read_value() {
    const std::size_t slash = request_.value.find('/');
    plan_.value = variable(request_.value.substr(0, slash));
    if (slash == std::string::npos) return;
    const Quantity below = variable(request_.value.substr(slash + 1));
    const Along one = plan_.value.along, other = below.along;
    if (one != other && one != Along::nothing && other != Along::nothing && !any_groups_)
      refuse("--value: {} and {} are of classes and of answers and have no ratio", plan_.value.name,
             below.name);
    Quantity both = ratio(plan_.value, below);
    for (const Quantity& part : {plan_.value, below}) {
      if (!part.text) continue;
      refuse("--value: {} is a text and has no ratio", part.name);
      both.per_step = true;
      both.along = Along::class_groups;
    }
    plan_.value = both;
  }

  void read_where() {
    std::map<std::string, std::vector<std::string>> wanted;
    for (const std::string& text : request_.where) {
      const std::size_t sign = text.find('=');
      if (sign == std::string::npos) {
        refuse("--where: got \"{}\"; expected KEY=VALUE", text);
      } else if (const std::string key = coordinate("where", text.substr(0, sign), {"optimizer"});
                 !key.empty()) {
        wanted[key].push_back(text.substr(sign + 1));
      }
    }
    plan_.runs = all_of(result_.runs.size());
    plan_.optimizers = all_of(result_.optimizers.size());
    for (const auto& [key, typed] : wanted) {
      std::vector<AxisValue> values;
      if (key == "optimizer") {
        values.assign(result_.optimizers.begin(), result_.optimizers.end());
      } else {
        for (const Run& run : result_.runs) values.push_back(swept_value(run, key));
      }
      keep(key, values, typed, key == "optimizer" ? plan_.optimizers : plan_.runs);
    }
  }

  /// Leaves those of the indices whose value is one of those typed.
  void keep(const std::string& key, const std::vector<AxisValue>& values,
            const std::vector<std::string>& typed, std::vector<std::size_t>& indices) {
    const auto is_typed = [&](std::size_t i) {
      return std::any_of(typed.begin(), typed.end(), [&](const auto& one) { return means(values[i], one); });
    };
    std::erase_if(indices, std::not_fn(is_typed));
    for (const std::string& one : typed) {
      if (std::any_of(values.begin(), values.end(), [&](const auto& value) { return means(value, one); }))
        continue;
      std::vector<std::string> texts;
      for (const AxisValue& value : values) {
        if (const auto* text = std::get_if<std::string>(&value)) texts.push_back(*text);
      }
      refuse("--where: {} is never \"{}\"{}; its values: {}", key, one,
             did_you_mean(nearest_name(one, texts), ""), axis_texts(values));
    }
  }

  void read_moment() {
    const bool step_axis = plan_.has_axis("step"), threshold = !(request_.below + request_.above).empty();
    const bool last = request_.at.empty() || (request_.at == "last" && !step_axis);
    if (request_.sustained && !threshold)
      refuse("--sustained: it is for --below X or --above X; give one of them");
    if (!plan_.value.per_step && (threshold || step_axis || !request_.at.empty())) {
      refuse("--value: {} has no steps; leave --at, --below, --above and the axis step away",
             plan_.value.name);
    } else if (threshold) {
      plan_.sustained = request_.sustained;
      read_threshold(step_axis);
    } else if (!step_axis && (request_.at == "max" || request_.at == "min")) {
      plan_.extreme = request_.at == "max" ? Best::largest : Best::least;
      plan_.moment = fmt::format("({} along the run)", request_.at == "max" ? "largest" : "least");
    } else if (!last) {
      read_steps(step_axis);
    } else if (step_axis) {
      plan_.records.clear();
      for (const std::size_t record : all_of(result_.steps.size())) plan_.records.emplace_back(record);
    } else {
      plan_.moment = last_step_text();
    }
  }

  void read_threshold(bool step_axis) {
    plan_.below = !request_.below.empty();
    const std::string option = plan_.below ? "below" : "above";
    const std::string& typed = plan_.below ? request_.below : request_.above;
    if (plan_.below && !request_.above.empty()) refuse("--below and --above: give one of them");
    if (!request_.at.empty()) refuse("--at and --{}: give one of them", option);
    if (step_axis) refuse("--{} gives steps, so step cannot be an axis", option);
    plan_.threshold = parse_number<double>(typed);
    if (!plan_.threshold || !std::isfinite(*plan_.threshold))
      refuse("--{}: got \"{}\"; expected a number", option, typed);
    plan_.moment = fmt::format("{} {}", plan_.below ? "<" : ">", typed);
  }

  void read_steps(bool step_axis) {
    std::set<std::size_t> records;
    const auto parts = split_text(request_.at, ',');
    for (const std::string_view typed : parts) {
      if (const auto record = record_of(typed)) records.insert(*record);
    }
    if (parts.size() > 1 && !step_axis)
      refuse("--at: several steps need the axis step in --rows or --columns");
    plan_.records.assign(records.begin(), records.end());
    if (!step_axis) plan_.moment = "at step " + request_.at;
  }

  /// The record of a step as typed; nothing, and a problem, if it was not recorded.
  std::optional<std::size_t> record_of(std::string_view typed) {
    const auto& steps = result_.steps;
    if (typed == "last") return steps.size() - 1;
    const auto number = whole_number(typed);
    if (!number) {
      refuse("--at: got \"{}\"; expected last, max, min or a recorded step", typed);
      return {};
    }
    const auto next = std::lower_bound(steps.begin(), steps.end(), *number,
                                       [](std::int64_t a, double b) { return static_cast<double>(a) < b; });
    if (next != steps.end() && static_cast<double>(*next) == *number)
      return static_cast<std::size_t>(next - steps.begin());
    std::vector<std::string> near;
    if (next != steps.begin()) near.push_back(std::to_string(*(next - 1)));
    if (next != steps.end()) near.push_back(std::to_string(*next));
    refuse("--at: step {} was not recorded; the nearest is {} ({} steps from {} to {} are)", typed,
           joined(near, " or "), steps.size(), steps.front(), steps.back());
    return {};
  }

  /// "at the last step (3000)", if all runs that came to their end ended there.
  std::string last_step_text() const {
    std::set<std::size_t> records;
    for (const std::size_t run : plan_.runs) {
      for (const Trajectory& trajectory : result_.runs[run].trajectories) {
        if (is_finished(trajectory)) records.insert(end_of(trajectory, result_.steps));
      }
    }
    if (records.size() > 1) return "at the last step of each run";
    const std::size_t last = records.empty() ? result_.steps.size() - 1 : *records.begin();
    return fmt::format("at the last step ({})", result_.steps[last]);
  }

  void read_class() {
    const Along along = plan_.value.along, axis = plan_.along_axis();
    const std::string& typed = request_.class_row;
    if (plan_.has_axis("class") && plan_.has_axis("answer")) {
      refuse("the axes class and answer: give one of them");
    } else if (axis != Along::nothing && axis != along && !any_groups_) {
      const char* groups = axis == Along::class_groups ? "class" : "answer";
      refuse("--value: {} has no {}; leave the axis {} away", plan_.value.name,
             axis == Along::class_groups ? "classes" : "answers", groups);
    } else if (along == Along::nothing && !typed.empty()) {
      refuse("--value: {} has no classes; leave --class away", plan_.value.name);
    }
    if (axis != Along::nothing && !typed.empty())
      refuse("--class and the axis {}: give one of them", axis == Along::class_groups ? "class" : "answer");
    if (typed.empty() && (axis != Along::nothing || along == Along::nothing)) return;
    std::size_t rows = 0;
    for (const Run& run : result_.runs) rows = std::max(rows, width_of(run, along));
    const char* member = along == Along::answer_groups ? "answer" : "class";
    const auto row = whole_number(typed);
    if (const ClassChoice* choice = find_row(class_choices, typed.empty() ? "tail" : typed)) {
      plan_.class_row = *choice;
      plan_.class_row.description = fmt::format(fmt::runtime(choice->description), member);
    } else if (row && *row < static_cast<double>(rows)) {
      plan_.class_row = {typed, ClassChoice::Kind::row, fmt::format(" of {} row {}", member, *row),
                         static_cast<std::size_t>(*row)};
    } else {
      refuse("--class: got \"{}\"; expected head, tail, min, max or a row of {}, 0 to {}", typed,
             dimension_of(along == Along::nothing ? Along::class_groups : along), rows - 1);
    }
  }

  /// Runs that differ in anything but the seed must not share a cell. A key that only moves with those on the
  /// axes is the same for all runs of a cell.
  void refuse_mixed_cells() {
    std::vector<std::string> mixed;
    for (const std::string& key : keys_) {
      std::vector<AxisValue> values;
      std::map<std::vector<AxisValue>, AxisValue> of_cell;
      bool mixes = false;
      for (const std::size_t i : plan_.runs) {
        const std::vector<AxisValue> cell =
            mapped(plan_.axes, [&](const std::string& axis) { return swept_value(result_.runs[i], axis); });
        values.push_back(swept_value(result_.runs[i], key));
        mixes = mixes || of_cell.emplace(cell, values.back()).first->second != values.back();
      }
      if (mixes && key != "seed") mixed.push_back(fmt::format("{} ({})", key, axis_texts(values)));
    }
    if (!plan_.has_axis("optimizer") && plan_.optimizers.size() > 1) {
      const auto label = [&](std::size_t optimizer) { return result_.optimizers[optimizer]; };
      mixed.push_back(fmt::format("optimizer ({})", joined(mapped(plan_.optimizers, label))));
    }
    if (mixed.empty()) return;
    refuse("a cell would mix runs that differ in {}: put each on --rows or --columns, or fix it with {}",
           joined(mixed, " and in "), "--where KEY=VALUE");
  }

  const Result& result_;
  const TableRequest& request_;
  const std::vector<std::string> keys_;
  TablePlan plan_;
  bool any_groups_ = false;  ///< a variable that is not there may have any
  std::vector<Problem> problems_;
};

}  // namespace

TablePlan plan_table(const Result& result, const TableRequest& request) {
  return Planner(result, request).plan();
}

}  // namespace rarefact
