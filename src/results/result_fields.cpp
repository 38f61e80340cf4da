#include "results/result_fields.hpp"

#include <fmt/format.h>

#include "experiment/experiment.hpp"

namespace rarefact {

namespace {

ResultField field(const std::string& name, FieldMember member, const std::string& long_name,
                  const FieldTraits& traits = {}) {
  return {traits, name, member, long_name};
}

}  // namespace

const std::vector<ResultField>& result_fields() {
  static const std::vector<ResultField> fields = {
      field("class_count", &Run::class_count,
            "classes in the group, or represented by the node; a real number",
            {.along = Along::class_groups, .padding = 0}),
      field("class_probability", &Run::class_probability,
            "probability of one class of the group; count times probability sums to 1",
            {.along = Along::class_groups}),
      field("class_log_rank", &Run::class_log_rank,
            "natural logarithm of the rank, 1 the most frequent class; for a group that of its middle class",
            {.along = Along::class_groups}),
      field("class_place", &Run::class_place,
            "row of the class in the table of counts, from 1; NaN for a group of several",
            {.along = Along::class_groups,
             .more = "as in `run.classes`; this and the next only in results with classes from a file",
             .of_table = true}),
      field("class_label", &Run::class_label, "name of the class in the table of counts",
            {.along = Along::class_groups,
             .more = "in its column `class` or `label`, or else the first column of strings; else empty",
             .of_table = true}),
      field("query_count", &AnswerGroups::query_count, "queries N",
            {.more = "this and the rows down to `answer_group_fan_in` only in results with `[answers]`"}),
      field("answer_count", &AnswerGroups::answer_count, "answers K"),
      field("loss_floor", &AnswerGroups::loss_floor,
            "mean entropy of a query's answers, the least possible loss of the softmax", {.units = "nat"}),
      field("top1_floor", &AnswerGroups::top1_floor,
            "least possible top-1 error, that of the most probable answer to each query"),
      field("class_fan_in", &AnswerGroups::class_fan_in, "queries with the group's (first) right answer",
            {.along = Along::class_groups}),
      field("class_answer", &AnswerGroups::class_answer,
            "index of the answer group of the group's (first) right answer", {.along = Along::class_groups}),
      field("answer_group_count", &AnswerGroups::count, "answers in the group; a real number",
            {.along = Along::answer_groups, .padding = 0}),
      field("answer_group_probability", &AnswerGroups::probability,
            "probability of one answer of the group, over all queries; 0 where no query has it",
            {.along = Along::answer_groups}),
      field("answer_group_fan_in", &AnswerGroups::fan_in,
            "queries that have one answer of the group, its fan-in", {.along = Along::answer_groups}),
      field(
          "band_name", &Run::band_name, "name of the band",
          {.along = Along::bands,
           .more =
               "as in `run.bands`, then `medium`, the classes of no other band; this and the next two only in results "
               "with `run.bands`"}),
      field("band_count", &Run::band_count, "classes in the band", {.along = Along::bands, .padding = 0}),
      field("band_probability", &Run::band_probability, "probability of all classes of the band",
            {.along = Along::bands}),
      field(
          "status", &Trajectory::status, "how the run ended",
          {.more =
               "`complete`; `digits_lost` if rounding leaves fewer than 3 digits of loss, excess loss or "
               "errors; `diverged` if a loss was no longer finite or a Newton step could not be solved, with "
               "the earlier numbers; `uncertified` if a requested quadrature missed its tolerance; `failed`, "
               "without numbers, if one chosen by `auto` missed it and no exact engine could take over, or "
               "after an internal error"}),
      field("status_step", &Trajectory::status_step,
            "last step computed with finite numbers; for `digits_lost` the first recorded step without 3 "
            "digits"),
      field(
          "status_detail", &Trajectory::status_detail, "why a run ended early, or a note on a completed one",
          {.more =
               "norms at a divergence; rounding; the residual of a Newton step; an estimated error above its tolerance; "
               "an effect of δ, ε or too few `polar_steps`; identical classes separated by rounding; a best step size at "
               "an edge; else empty"}),
      field("engine", &Trajectory::engine, "engine that ran the optimizer",
            {.more = "`modes`, `columns`, `symmetric`, `quadrature` or `dense`"}),
      field("engine_reason", &Trajectory::engine_reason, "reason for the engine"),
      field("step_size", &Trajectory::step_size,
            "step size η; for a search, the best one, whose run this is"),
      field("step_size_source", &Trajectory::step_size_source,
            "the expression or search that the step size comes from; empty: the experiment gives a number"),
      field("step_size_edge", &Trajectory::step_size_edge,
            "-1 or 1 if the best step size of a search is the smallest or largest tried; else 0, also if "
            "every run diverged"),
      field(
          "quadrature_error", &Trajectory::quadrature_error,
          "estimated relative error of the total error and loss",
          {.more =
               "and of error and loss of every row, of the top-1 error and of every answer row, of the push where it is "
               "measured (relative to the largest of its step), and of the loss along the next update; 0 for the exact engines, infinite where it cannot be estimated"}),
      field("quadrature_nodes", &Trajectory::quadrature_nodes,
            "nodes that represented all classes; 0 for the exact engines"),
      field(
          "fast_forward_error", &Trajectory::fast_forward_error,
          "estimated relative error of many updates at once, of loss and error, total and of every row",
          {.more =
               "0 where all were made one by one; this and `updates` only in results of more than 1e6 steps",
           .of_many_steps = true}),
      field("updates", &Trajectory::updates,
            "updates made one by one; 0 in points of a sweep that have at most 1e6 steps",
            {.of_many_steps = true}),
      field("weights", &Trajectory::weights, "W of the last step",
            {.more = "only with `run.weights`; NaN in runs without", .matrix = {"output", "input"}}),
      field("weights_u", &Trajectory::weights_u, "U of the last step, W = U V",
            {.more = "this and the next as `weights`, of products", .matrix = {"output", "inner"}}),
      field("weights_v", &Trajectory::weights_v, "V of the last step", {.matrix = {"inner", "input"}}),
  };
  return fields;
}

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
