#include <numeric>

#include "core/number_expression.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "metrics/metric.hpp"
#include "query/frame.hpp"
#include "results/result_fields.hpp"
#include "tables/table.hpp"

namespace rarefact {

namespace {

std::optional<double> whole_number(std::string_view text) {
  const auto number = parse_number<double>(text);
  return number && std::isfinite(*number) && *number >= 0 && *number == std::floor(*number) ? number
                                                                                            : std::nullopt;
}

class Planner {
 public:
  Planner(const Result& result, const TableRequest& request)
      : result_(result),
        request_(request),
        keys_(swept_keys(result)),
        source_(std::make_shared<const ExpressionSource>(result)),
        widest_(*std::ranges::max_element(result.runs, {}, [](const Run& run) {
          return width_of(run, Along::class_groups) + width_of(run, Along::answer_groups);
        })) {}

  TablePlan plan() {
    read_axes("rows", request_.rows, plan_.rows);
    read_axes("columns", request_.columns, plan_.columns);
    for (const std::string& value : request_.values) {
      if (std::ranges::count(request_.values, value) > 1)
        throw bad_input("--value: {} is given twice", value);
      read(value);
    }
    // Problems that do not depend on the value are reported once.
    for (auto problem = problems_.begin(); problem != problems_.end(); ++problem) {
      const auto same = [&](const Problem& other) { return other.message == problem->message; };
      problems_.erase(std::remove_if(problem + 1, problems_.end(), same), problems_.end());
    }
    raise(std::move(problems_));
    if (runs_.empty()) throw InputError("--where: no run of the file has all of these values");
    return std::move(plan_);
  }

 private:
  template <class... Parts>
  void refuse(fmt::format_string<Parts...> message, Parts&&... parts) {
    problems_.push_back(problem_of(message, std::forward<Parts>(parts)...));
  }

  void read(const std::string& value) {
    query_ = &plan_.values.emplace_back();
    any_groups_ = false;
    read_value(value);
    if (plan_.values.size() == 1) read_where();
    read_moment();
    read_over();
    read_class();
    if (plan_.axes.size() == request_.rows.size() + request_.columns.size()) refuse_mixed_cells();
  }

  /// One of `others`, or the swept key of this name, as in the experiment or the file; empty, with a problem, if unknown.
  std::string coordinate(const std::string& option, const std::string& typed,
                         const std::vector<std::string>& others) {
    if (std::find(others.begin(), others.end(), typed) != others.end()) return typed;
    for (const std::string& key : keys_)
      if (typed == key || typed == parameter_variable(key)) return key;
    std::vector<std::string> names = keys_;
    names.insert(names.end(), others.begin(), others.end());
    refuse("--{}: \"{}\" {}{}; {}; others: {}", option, typed,
           find_key(typed) != nullptr ? "does not vary in the file" : "is not a swept key of the file",
           did_you_mean(nearest_name(typed, names), ""),
           keys_.empty() ? "the file has no sweep" : "swept keys: " + joined(keys_), joined(others));
    return {};
  }

  /// All axes that are not swept keys.
  std::vector<std::string> groups_axes() const {
    std::vector<std::string> axes = {"optimizer", "class", "step"};
    const ResultShape shape = shape_of(result_);
    if (shape.answers > 0) axes.insert(axes.end() - 1, "answer");
    if (shape.bands > 0) axes.insert(axes.end() - 1, "band");
    return axes;
  }

  void read_axes(const std::string& option, const std::vector<std::string>& typed,
                 std::vector<std::string>& axes) {
    for (const std::string& text : typed) {
      // The name of a joint axis has a blank after each comma.
      const std::string axis = coordinate(option, std::string(trimmed(text, " ")), groups_axes());
      if (plan_.has_axis(axis)) refuse("the axis {} is given twice", axis);
      if (axis.empty()) continue;
      axes.push_back(axis);
      plan_.axes.push_back(axis);
    }
  }

  void check_name(const std::string& option, const std::string& typed, bool alone) {
    if (const Quantity* const found = find_row(source_->quantities, typed)) {
      if (found->text != nullptr && !alone) refuse("--{}: {} is a string and has no ratio", option, typed);
      return;
    }
    if (typed == "class" || contains(other_names(*source_, widest_), typed)) return;
    const std::vector<std::string> names = names_of(source_->quantities);
    const MetricRow* metric = find_row(metric_catalogue(), typed);
    const bool squares = contains(names, std::string("coefficient"));
    if (metric != nullptr && !metric->is_of(squares)) {
      return refuse(
          "--{}: \"{}\" is {}, and the loss of this file is {} (model.loss); a loss, class losses and the class's {} are there",
          option, typed, squares ? "of probabilities, which least squares has not" : "of least squares",
          squares ? "least_squares" : "softmax", squares ? "coefficient" : "error");
    }
    refuse(
        "--{}: the file has no variable \"{}\"{}; rarefact info lists its {}, and expressions are allowed, such as "
        "excess_loss/loss",
        option, typed,
        typed == "accuracy" || typed == "acc" || typed == "top1"
            ? Hint{"; accuracy is 1-error"}
            : did_you_mean(nearest_name(typed, names), ""),
        names.size());
  }

  /// The quantity of an expression. An unknown one has steps and classes, so that it causes no further problems.
  Quantity quantity(const std::string& option, const std::string& typed, bool is_number = true) {
    const std::size_t problems = problems_.size();
    try {
      const Syntax tree = parsed_condition(typed);
      if (is_number) refuse_condition(tree);
      for (const std::string& name : names_in(tree))
        check_name(option, name, option != "when" && tree.kind == Syntax::Kind::name);
      if (problems_.size() == problems) return expression(tree, typed, source_, widest_);
    } catch (const InputError& error) {
      refuse("--{}: {}", option, error.problems().front().message);
    }
    any_groups_ = true;
    return {.name = typed, .per_step = true, .along = Along::class_groups};
  }

  /// A comparison of two quantities, or a condition made of several, which is 1 or 0.
  Condition condition(const std::string& option, const Syntax& tree) {
    if (tree.kind != Syntax::Kind::comparison)
      return {quantity(option, to_text(tree), false), constant(0), ">"};
    return {quantity(option, to_text(tree.arguments[0])), quantity(option, to_text(tree.arguments[1])),
            tree.text};
  }

  /// The value; first_where(error < 0.1) is error with --below 0.1.
  void read_value(const std::string& typed) {
    try {
      const Syntax tree = parsed_condition(typed);
      if (tree.kind == Syntax::Kind::call && tree.text == "first_where" && tree.arguments.size() == 1 &&
          searchable(tree.arguments[0])) {
        const Syntax& searched = tree.arguments[0];
        query_->when = condition("value", searched);
        query_->value = query_->when->left;
        query_->moment = searched.kind == Syntax::Kind::comparison
                             ? searched.text + " " + to_text(searched.arguments[1])
                             : "holds";
        return;
      }
    } catch (const InputError&) {  // reported by quantity()
    }
    query_->value = quantity("value", typed);
  }

  /// True for conditions that may choose a step.
  static bool searchable(const Syntax& tree) {
    return is_condition(tree) && tree.text != "==" && tree.text != "!=";
  }

  void read_over() {
    std::string averaged;
    for (const std::string& typed : request_.over) {
      if (typed == "max" || typed == "min") {
        if (query_->at != Query::At::last || !request_.at.empty() || plan_.has_axis("step"))
          refuse("--over {} uses all steps of a run: omit --at, --below, --above, --when and the axis step",
                 typed);
        query_->at = typed == "max" ? Query::At::largest : Query::At::least;
        query_->moment = fmt::format("({} along the run)", typed == "max" ? "largest" : "least");
      } else if (const Average* average = find_row(averages(), typed)) {
        if (!averaged.empty())
          refuse("--over: {} and {} are two averages; give one of them", averaged, typed);
        averaged = typed;
        plan_.average = average;
      } else {
        refuse(
            "--over: got \"{}\"; expected max or min along a run, or {} over the runs that differ only in the seed",
            typed, joined(names_of(averages())));
      }
    }
  }

  void read_where() {
    auto& wanted = plan_.where;
    for (const std::string& text : request_.where) {
      const std::size_t sign = text.find('=');
      if (sign == std::string::npos) {
        refuse("--where: got \"{}\"; expected KEY=VALUE", text);
      } else if (const std::string key = coordinate("where", text.substr(0, sign), {"optimizer"});
                 !key.empty()) {
        wanted[key].push_back(text.substr(sign + 1));
      }
    }
    for (const auto& [key, typed] : wanted) {
      std::vector<AxisValue> values;
      if (key == "optimizer") {
        values.assign(result_.optimizers.begin(), result_.optimizers.end());
      } else {
        for (const Run& run : result_.runs) values.push_back(swept_value(run, key));
      }
      check_values(key, values, typed);
    }
    for (const Run& run : result_.runs)
      if (plan_.wants(run)) runs_.push_back(&run);
  }

  void check_values(const std::string& key, const std::vector<AxisValue>& values,
                    const std::vector<std::string>& typed) {
    for (const std::string& entry : typed) {
      if (std::any_of(values.begin(), values.end(), [&](const auto& value) { return means(value, entry); }))
        continue;
      std::vector<std::string> texts;
      for (const AxisValue& value : values)
        if (const auto* text = std::get_if<std::string>(&value)) texts.push_back(*text);
      refuse("--where: {} is never \"{}\"{}; its values: {}", key, entry,
             did_you_mean(nearest_name(entry, texts), ""), joined(axis_texts(values)));
    }
  }

  void read_moment() {
    const bool step_axis = plan_.has_axis("step");
    const std::pair<const char*, const std::string&> conditions[] = {
        {"below", request_.below}, {"above", request_.above}, {"when", request_.when}};
    std::vector<std::string> given;
    if (query_->when) given.emplace_back("value");
    for (const auto& [option, typed] : conditions)
      if (!typed.empty()) given.emplace_back(option);
    if (request_.sustained && given.empty())
      refuse("--sustained: it is for --below X, --above X or --when CONDITION; give one of them");
    if (!query_->value.per_step && request_.when.empty() &&
        (!given.empty() || step_axis || !request_.at.empty())) {
      refuse("--value: {} has no steps; omit --at, --below, --above and the axis step", query_->value.name);
    } else if (!given.empty()) {
      if (given.size() > 1) refuse("--{}: give one of them", joined(given, " and --"));
      if (!request_.at.empty()) refuse("--at and --{}: give one of them", given[0]);
      if (step_axis) refuse("--{} chooses the step, so step cannot be an axis", given[0]);
      query_->at = request_.sustained ? Query::At::for_good : Query::At::first;
      query_->shows_step = given[0] != "when";
      if (given[0] == "when")
        read_condition();
      else if (given[0] != "value")
        read_threshold(given[0]);
    } else if (!request_.at.empty() && (request_.at != "last" || step_axis)) {
      read_steps(step_axis);
    } else if (step_axis) {
      plan_.records.resize(result_.steps.size());
      std::iota(plan_.records.begin(), plan_.records.end(), std::size_t{0});
    } else {
      query_->moment = last_step_text();
    }
  }

  void read_threshold(const std::string& option) {
    const std::string& typed = option == "below" ? request_.below : request_.above;
    const auto threshold = parse_number<double>(typed);
    if (!threshold || !std::isfinite(*threshold))
      return refuse("--{}: got \"{}\"; expected a number", option, typed);
    const std::string sign = option == "below" ? "<" : ">";
    query_->when = {query_->value, constant(*threshold), sign};
    query_->moment = sign + " " + typed;
  }

  void read_condition() {
    try {
      const Syntax tree = parsed_condition(request_.when);
      if (!searchable(tree))
        throw bad_input("got \"{}\"; expected a comparison with <, <=, > or >=", request_.when);
      query_->moment = fmt::format("at the first recorded step {} {}",
                                   request_.sustained ? "from which on" : "with", request_.when);
      query_->when = condition("when", tree);
    } catch (const InputError& error) {
      refuse("--when: {}", error.problems().front().message);
      any_groups_ = true;
    }
  }

  void read_steps(bool step_axis) {
    std::set<std::size_t> records;
    const auto parts = split_text(request_.at, ',');
    for (const std::string_view typed : parts)
      if (const auto record = record_of(typed)) records.insert(*record);
    if (parts.size() > 1 && !step_axis)
      refuse("--at: several steps need the axis step in --rows or --columns");
    plan_.records.assign(records.begin(), records.end());
    if (!step_axis) query_->moment = "at step " + request_.at;
  }

  /// The record of a typed step; nullopt, with a problem, if it was not recorded.
  std::optional<std::size_t> record_of(std::string_view typed) {
    const auto& steps = result_.steps;
    if (typed == "last") return steps.size() - 1;
    const auto number = whole_number(typed);
    if (!number) {
      refuse("--at: got \"{}\"; expected last or a recorded step{}", typed,
             typed == "max" || typed == "min"
                 ? "; the largest or least along a run is --over max or --over min"
                 : "");
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

  /// "at the last step (3000)", if all finished runs ended there.
  std::string last_step_text() const {
    std::set<std::size_t> records;
    for (const Run* run : runs_) {
      for (const Trajectory& trajectory : run->trajectories)
        if (is_finished(trajectory)) records.insert(end_of(trajectory, result_.steps));
    }
    if (records.size() > 1) return "at the last step of each run";
    const std::size_t last = records.empty() ? result_.steps.size() - 1 : *records.begin();
    return fmt::format("at the last step ({})", result_.steps[last]);
  }

  void read_class() {
    const auto& when = query_->when;
    Along along = query_->value.along;
    const Along axis = plan_.along_axis();
    const std::string& typed = request_.class_row;
    for (const Along side : {when ? when->left.along : along, when ? when->right.along : along}) {
      if (along == Along::nothing) along = side;
      if (side != along && side != Along::nothing)
        refuse("--when: the condition and the value must both be per class, per answer or per band");
    }
    const std::string& name = query_->value.name;
    const auto member_of = [](Along groups) {
      return groups == Along::answer_groups ? "answer" : groups == Along::bands ? "band" : "class";
    };
    if (plan_.has_axis("class") + plan_.has_axis("answer") + plan_.has_axis("band") > 1) {
      refuse("the axes class, answer and band: give one of them");
    } else if (axis != Along::nothing && axis != along && !any_groups_) {
      refuse("--value: {} has no {}{}; omit the axis {}", name, member_of(axis),
             axis == Along::class_groups ? "es" : "s", member_of(axis));
    } else if (along == Along::nothing && !typed.empty()) {
      refuse("--value: {} has no classes; omit --class", name);
    }
    if (axis != Along::nothing && !typed.empty())
      refuse("--class and the axis {}: give one of them", member_of(axis));
    if (typed.empty() && (axis != Along::nothing || along == Along::nothing)) return;
    std::size_t rows = 0;
    for (const Run& run : result_.runs) rows = std::max(rows, width_of(run, along));
    const char* member = member_of(along);
    std::string& description = query_->rows.description;
    const auto row = whole_number(typed);
    if (const RowChoice* choice = find_row(named_rows(), typed.empty() ? "tail" : typed)) {
      query_->rows = *choice;
      description = fmt::format(fmt::runtime(choice->description), member);
    } else if (row && *row < static_cast<double>(rows)) {
      query_->rows = {typed, RowChoice::Kind::row, fmt::format(" of {} row {}", member, *row),
                      static_cast<std::size_t>(*row)};
    } else if (typed.starts_with("rank:") && along == Along::class_groups) {
      read_band(typed);
    } else if (along == Along::bands && std::ranges::any_of(result_.runs, [&](const Run& run) {
                 return contains(run.band_name, typed);
               })) {
      query_->rows = {typed, RowChoice::Kind::name, fmt::format(" of the band {}", typed)};
    } else {
      refuse("--class: got \"{}\"; expected head, tail, min, max, a row of {}, 0 to {}{}", typed,
             dimension_of(along == Along::nothing ? Along::class_groups : along), rows - 1,
             along == Along::answer_groups ? ""
             : along == Along::bands       ? ", or the name of a band"
                                           : ", or ranks, rank:FROM-TO");
    }
    // If the value has no classes, the row is for the condition.
    if (query_->value.along == Along::nothing) query_->moment += std::exchange(description, "");
  }

  /// Reads rank:FROM-TO, the mean over the classes of these ranks, which every chosen run must have.
  void read_band(const std::string& typed) {
    const auto ends = split_text(std::string_view(typed).substr(5), '-');
    const auto from = whole_number(ends.front()), to = whole_number(ends.back());
    if (ends.size() != 2 || !from || !to || *from < 1 || *from > *to) {
      return refuse("--class: got \"{}\"; expected two ranks, the most frequent class has 1: rank:1-100",
                    typed);
    }
    query_->rows = {typed,
                    RowChoice::Kind::band,
                    fmt::format(" (mean over the classes of rank {} to {})", *from, *to),
                    0,
                    *from,
                    *to};
    const auto problem_in = [&](const Run* run) { return rank_band(*run, {*from, *to}).problem; };
    const auto found = std::ranges::find_if(runs_, [&](const Run* run) {
      return std::ranges::any_of(run->class_count, [](double count) { return count > 0; }) &&
             !problem_in(run).empty();
    });
    if (found == runs_.end()) return;
    refuse("--class: {}: {}{}", typed, runs_.size() > 1 ? fmt::format("run {}: ", (*found)->index) : "",
           problem_in(*found));
  }

  /// Refuses cells of runs that differ in more than the seed. Keys determined by those on the axes are equal within a cell.
  void refuse_mixed_cells() {
    std::vector<std::string> mixed, seeds;
    for (const std::string& key : keys_) {
      std::vector<AxisValue> values;
      std::map<std::vector<AxisValue>, AxisValue> of_cell;
      bool mixes = false;
      for (const Run* run : runs_) {
        const std::vector<AxisValue> cell =
            mapped(plan_.axes, [&](const std::string& axis) { return swept_value(*run, axis); });
        values.push_back(swept_value(*run, key));
        mixes = mixes || of_cell.emplace(cell, values.back()).first->second != values.back();
      }
      if (mixes && query::is_seed(key)) seeds.push_back(key);
      if (mixes && !query::is_seed(key))
        mixed.push_back(fmt::format("{} ({})", key, joined(axis_texts(values))));
    }
    std::vector<std::string> optimizers = result_.optimizers;
    std::erase_if(optimizers, [&](const std::string& text) { return !plan_.wants(text); });
    if (query_->value.per_optimizer && !plan_.has_axis("optimizer") && optimizers.size() > 1)
      mixed.push_back(fmt::format("optimizer ({})", joined(optimizers)));
    // Runs that share one of two seeds are not independent.
    if (seeds.size() > 1 && crossed(seeds)) mixed.push_back(joined(seeds, " x ") + " (crossed seeds)");
    if (mixed.empty()) return;
    refuse("a cell would mix runs that differ in {}: put each on --rows or --columns, or fix it with {}",
           joined(mixed, " and in "), "--where KEY=VALUE");
  }

  /// True if runs of a cell share one of these seeds and differ in another.
  bool crossed(const std::vector<std::string>& seeds) const {
    for (const std::string& shared : seeds) {
      std::map<std::vector<AxisValue>, std::vector<AxisValue>> others;
      for (const Run* run : runs_) {
        std::vector<AxisValue> cell =
            mapped(plan_.axes, [&](const auto& axis) { return swept_value(*run, axis); });
        cell.push_back(swept_value(*run, shared));
        const auto all = mapped(seeds, [&](const auto& seed) { return swept_value(*run, seed); });
        if (others.emplace(cell, all).first->second != all) return true;
      }
    }
    return false;
  }

  const Result& result_;
  const TableRequest& request_;
  const std::vector<std::string> keys_;
  const std::shared_ptr<const ExpressionSource> source_;
  const Run& widest_;  ///< the run with the most class rows
  TablePlan plan_;
  Query* query_ = nullptr;        ///< of the value that is read
  std::vector<const Run*> runs_;  ///< the runs selected by `where`
  bool any_groups_ = false;       ///< a missing variable may have any groups
  std::vector<Problem> problems_;
};

}  // namespace

TablePlan plan_table(const Result& result, const TableRequest& request) {
  return Planner(result, request).plan();
}

}  // namespace rarefact
