#include "results/result_fields.hpp"

#include <fmt/format.h>

#include "experiment/experiment.hpp"

namespace rarefact {

const std::vector<ResultField>& result_fields() {
  static const std::vector<ResultField> fields = {
      {.name = "class_count",
       .member = &Run::class_count,
       .along = Along::class_groups,
       .long_name = "classes in the group, or represented by the node; a real number",
       .padding = 0},
      {.name = "class_probability",
       .member = &Run::class_probability,
       .along = Along::class_groups,
       .long_name = "probability of one class of the group; count times probability sums to 1"},
      {.name = "class_log_rank",
       .member = &Run::class_log_rank,
       .along = Along::class_groups,
       .long_name =
           "natural logarithm of the rank, 1 the most frequent class; for a group that of its middle class"},
      {.name = "class_place",
       .member = &Run::class_place,
       .along = Along::class_groups,
       .long_name = "row of the class in the table of counts, from 1; NaN for a group of several",
       .more = "as in `run.classes`; this and the next only in results with classes from a file",
       .of_table = true},
      {.name = "class_label",
       .member = &Run::class_label,
       .along = Along::class_groups,
       .long_name = "name of the class in the table of counts",
       .more = "in its column `class` or `label`, or else the first of texts; else empty",
       .of_table = true},
      {.name = "query_count",
       .member = &AnswerGroups::query_count,
       .long_name = "queries N",
       .more = "this and the rows down to `answer_group_fan_in` only in results with `[answers]`"},
      {.name = "answer_count", .member = &AnswerGroups::answer_count, .long_name = "answers K"},
      {.name = "loss_floor",
       .member = &AnswerGroups::loss_floor,
       .long_name = "mean entropy of a query's answers, the least possible loss of the softmax",
       .units = "nat"},
      {.name = "top1_floor",
       .member = &AnswerGroups::top1_floor,
       .long_name = "least possible top-1 error, that of the most probable answer to each query"},
      {.name = "class_fan_in",
       .member = &AnswerGroups::class_fan_in,
       .along = Along::class_groups,
       .long_name = "queries with the group's (first) right answer"},
      {.name = "class_answer",
       .member = &AnswerGroups::class_answer,
       .along = Along::class_groups,
       .long_name = "index of the answer group of the group's (first) right answer"},
      {.name = "answer_group_count",
       .member = &AnswerGroups::count,
       .along = Along::answer_groups,
       .long_name = "answers in the group; a real number",
       .padding = 0},
      {.name = "answer_group_probability",
       .member = &AnswerGroups::probability,
       .along = Along::answer_groups,
       .long_name = "probability of one answer of the group, over all queries; 0 where no query has it"},
      {.name = "answer_group_fan_in",
       .member = &AnswerGroups::fan_in,
       .along = Along::answer_groups,
       .long_name = "queries that have one answer of the group, its fan-in"},
      {.name = "band_name",
       .member = &Run::band_name,
       .along = Along::bands,
       .long_name = "name of the band",
       .more =
           "as in `run.bands`, then `medium`, the classes of no other band; this and the next two only in results "
           "with `run.bands`"},
      {.name = "band_count",
       .member = &Run::band_count,
       .along = Along::bands,
       .long_name = "classes in the band",
       .padding = 0},
      {.name = "band_probability",
       .member = &Run::band_probability,
       .along = Along::bands,
       .long_name = "probability of all classes of the band"},
      {.name = "status",
       .member = &Trajectory::status,
       .long_name = "how the run ended",
       .more = "`complete`; `digits_lost` if rounding leaves fewer than 3 digits of loss, excess loss or "
               "errors; `diverged` if a loss was no longer finite or a Newton step could not be solved, with "
               "the earlier numbers; `uncertified` if a requested quadrature missed its tolerance; `failed`, "
               "without numbers, if one chosen by `auto` missed it and no exact engine could take over, or "
               "after an internal error"},
      {.name = "status_step",
       .member = &Trajectory::status_step,
       .long_name =
           "last step computed with finite numbers; for `digits_lost` the first recorded step without 3 "
           "digits"},
      {.name = "status_detail",
       .member = &Trajectory::status_detail,
       .long_name = "why a run did not end as planned, or a note about one that did",
       .more =
           "norms at a divergence, what has no digits, what was left of a Newton step, the estimated error, from which step on "
           "what is added to a norm or too few `polar_steps` decide, or rounding separates identical classes, that ε holds rare classes back, or that the best step "
           "size is at an edge; empty otherwise"},
      {.name = "engine",
       .member = &Trajectory::engine,
       .long_name = "engine that ran the optimizer",
       .more = "`modes`, `columns`, `symmetric`, `quadrature` or `dense`"},
      {.name = "engine_reason", .member = &Trajectory::engine_reason, .long_name = "reason for the engine"},
      {.name = "step_size",
       .member = &Trajectory::step_size,
       .long_name = "step size η; for a search, the best one, whose run this is"},
      {.name = "step_size_source",
       .member = &Trajectory::step_size_source,
       .long_name =
           "the expression or search that the step size comes from; empty: the experiment gives a number"},
      {.name = "step_size_edge",
       .member = &Trajectory::step_size_edge,
       .long_name =
           "-1 or 1 if the best step size of a search is the smallest or largest tried; else 0, also if "
           "every run diverged"},
      {.name = "quadrature_error",
       .member = &Trajectory::quadrature_error,
       .long_name = "estimated relative error of the total error and loss",
       .more =
           "and of error and loss of every row, of the top-1 error and of every answer row, of the push where it is "
           "measured (relative to the largest of its step), and of the loss along the next update; 0 for the exact engines, infinite where it cannot be estimated"},
      {.name = "quadrature_nodes",
       .member = &Trajectory::quadrature_nodes,
       .long_name = "nodes that represented all classes; 0 for the exact engines"},
      {.name = "fast_forward_error",
       .member = &Trajectory::fast_forward_error,
       .long_name =
           "estimated relative error of many updates at once, of loss and error, total and of every row",
       .more = "0 where all were made one by one; this and `updates` only in results of more than 1e6 steps",
       .of_many_steps = true},
      {.name = "updates",
       .member = &Trajectory::updates,
       .long_name = "updates made one by one; 0 in points of a sweep that have at most 1e6 steps",
       .of_many_steps = true},
      {.name = "weights",
       .member = &Trajectory::weights,
       .long_name = "W of the last step",
       .more = "only with `run.weights`; NaN in runs without",
       .matrix = {"output", "input"}},
      {.name = "weights_u",
       .member = &Trajectory::weights_u,
       .long_name = "U of the last step, W = U V",
       .more = "this and the next as `weights`, of products",
       .matrix = {"output", "inner"}},
      {.name = "weights_v",
       .member = &Trajectory::weights_v,
       .long_name = "V of the last step",
       .matrix = {"inner", "input"}},
  };
  return fields;
}

/// Whether every row of a matrix has an entry for every column.
static bool complete(const StoredMatrix& matrix) {
  if (matrix.entries.empty()) return matrix.rows == 0 && matrix.columns == 0;
  return matrix.rows > 0 && matrix.entries.size() % matrix.rows == 0 &&
         matrix.entries.size() / matrix.rows == matrix.columns;
}

std::string group_flaw(const Run& run) {
  if (run.class_count.empty()) return "a run without classes";
  if (run.answers && run.answers->count.empty()) return "answers without groups";
  std::string flaw;
  for (const ResultField& field : result_fields()) {
    visit_groups(field, run, [&](const auto& numbers) {
      if (numbers.size() != width_of(run, field.along) && !(field.of_table && numbers.empty()))
        flaw = fmt::format("'{}' has other groups than its run", field.name);
    });
    visit_field(field, run, [&]<class T>(const T& matrix) {
      if constexpr (std::is_same_v<T, StoredMatrix>) {
        if (!complete(matrix))
          flaw = fmt::format("'{}' has {} entries in {} rows and {} columns", field.name,
                             matrix.entries.size(), matrix.rows, matrix.columns);
      }
    });
  }
  return flaw;
}

bool ResultShape::has_many_steps(const std::vector<std::int64_t>& steps) {
  return !steps.empty() && steps.back() > max_single_steps;
}

std::size_t ResultShape::length(const std::string& dimension) const {
  return this->*row_named(result_dimensions(), dimension, "dimension").length;
}

void ResultShape::widen(const Run& run) {
  classes = std::max(classes, width_of(run, Along::class_groups));
  answers = std::max(answers, width_of(run, Along::answer_groups));
  bands = std::max(bands, width_of(run, Along::bands));
  table = table || !run.class_place.empty();
  for (const Trajectory& trajectory : run.trajectories) {
    outputs = std::max({outputs, trajectory.weights.rows, trajectory.weights_u.rows});
    inputs = std::max({inputs, trajectory.weights.columns, trajectory.weights_v.columns});
    inner = std::max({inner, trajectory.weights_u.columns, trajectory.weights_v.rows});
  }
}

ResultShape shape_of(const Result& result) {
  ResultShape shape{.runs = result.runs.size(),
                    .optimizers = result.optimizers.size(),
                    .steps = result.steps.size(),
                    .many_steps = ResultShape::has_many_steps(result.steps)};
  for (const Run& run : result.runs) shape.widen(run);
  return shape;
}

const std::vector<ResultDimension>& result_dimensions() {
  static const std::vector<ResultDimension> dimensions = {
      {"run", "index of the run in the plan", &ResultShape::runs},
      {"optimizer", "label of the optimizer", &ResultShape::optimizers},
      {"step", "number of updates made", &ResultShape::steps},
      {"class_group", "index of the group of equally likely classes", &ResultShape::classes},
      {"answer_group", "index of the group of identical answers, the most frequent first",
       &ResultShape::answers, true},
      {"band", "index of the band of classes", &ResultShape::bands, true},
      {"output", "row of W", &ResultShape::outputs, true},
      {"input", "column of W", &ResultShape::inputs, true},
      {"inner", "column of U and row of V, if W = U V", &ResultShape::inner, true},
  };
  return dimensions;
}

std::string dimension_of(Along along) {
  if (along == Along::nothing) return {};
  return along == Along::class_groups ? "class_group" : along == Along::bands ? "band" : "answer_group";
}

DimensionNames dimensions_of(const ResultField& field) {
  DimensionNames names = {"run"};
  if (field.per_optimizer()) names.emplace_back("optimizer");
  if (field.along != Along::nothing) names.push_back(dimension_of(field.along));
  names.insert(names.end(), field.matrix.begin(), field.matrix.end());
  return names;
}

DimensionNames series_dimensions(Along along) {
  DimensionNames names = {"run", "optimizer", "step"};
  if (along != Along::nothing) names.push_back(dimension_of(along));
  return names;
}

const std::vector<std::string>& required_series(const std::vector<Variable>& variables) {
  static const std::vector<std::string> softmax = {"loss", "excess_loss", "gap", "error", "class_loss"},
                                        squares = {"loss", "excess_loss", "coefficient", "class_loss"};
  return find_row(variables, "coefficient") ? squares : softmax;
}

}  // namespace rarefact
