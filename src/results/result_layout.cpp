#include "results/result_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rarefact {

const std::vector<FixedVariable>& dimension_scales() {
  static const std::vector<FixedVariable> scales = {
      {"run", {"run"}, Cell::integer, "index of the run in the plan"},
      {"optimizer", {"optimizer"}, Cell::text, "label of the optimizer"},
      {"step", {"step"}, Cell::integer, "number of updates made"},
      {"class_group", {"class_group"}, Cell::integer, "index of the group of equally likely classes"},
  };
  return scales;
}

const std::vector<FixedVariable>& fixed_variables() {
  static const std::vector<FixedVariable> variables = {
      {"class_count", {"run", "class_group"}, Cell::real, "classes in the group"},
      {"class_probability", {"run", "class_group"}, Cell::real, "probability of one class of the group"},
      {"class_log_rank",
       {"run", "class_group"},
       Cell::real,
       "natural logarithm of the rank, 1 the most frequent class; of a group, of its middle class"},
      {"status", {"run", "optimizer"}, Cell::text, "how the run ended"},
      {"status_step", {"run", "optimizer"}, Cell::integer, "last step computed with finite numbers"},
      {"status_detail", {"run", "optimizer"}, Cell::text, "why a run did not end as planned"},
      {"engine", {"run", "optimizer"}, Cell::text, "engine that ran the optimizer"},
      {"engine_reason", {"run", "optimizer"}, Cell::text, "why that engine"},
      {"step_size", {"run", "optimizer"}, Cell::real, "step size η; of a search, the best one"},
      {"step_size_edge",
       {"run", "optimizer"},
       Cell::integer,
       "-1 or 1 where the best step size of a search is the least or the largest tried; else 0, also where "
       "every "
       "one diverged"},
      {"quadrature_error",
       {"run", "optimizer"},
       Cell::real,
       "certified relative error of the total error and loss"},
      {"quadrature_nodes",
       {"run", "optimizer"},
       Cell::integer,
       "nodes that stood for all classes; 0 for the exact engines"},
  };
  return variables;
}

const std::vector<std::string>& trajectory_dimensions(bool per_class) {
  static const std::vector<std::string> total = {"run", "optimizer", "step"};
  static const std::vector<std::string> by_class = {"run", "optimizer", "step", "class_group"};
  return per_class ? by_class : total;
}

const std::vector<std::string>& required_trajectories() {
  static const std::vector<std::string> names = {"loss", "excess_loss", "gap", "error", "class_loss"};
  return names;
}

const std::vector<std::string>& root_text_attributes() {
  static const std::vector<std::string> names = {"title",       "experiment",  "rarefact_version",
                                                 "git_commit",  "compiler",    "compiler_flags",
                                                 "numerics_id", "hdf5_version"};
  return names;
}

std::uint64_t ResultShape::extent(const std::string& dimension) const {
  if (dimension == "run") return run;
  if (dimension == "optimizer") return optimizer;
  if (dimension == "step") return step;
  if (dimension == "class_group") return class_group;
  throw std::logic_error("no dimension is called " + dimension);
}

std::uint64_t ResultShape::cells(const std::vector<std::string>& dimensions) const {
  std::uint64_t product = 1;
  for (const std::string& dimension : dimensions) product *= extent(dimension);
  return product;
}

namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw std::logic_error("a result that cannot be stored: " + message);
}

void require_series(const Result& result, const Run& run, const Trajectory& trajectory) {
  for (const auto& [name, values] : trajectory.series) {
    const auto variable = std::find_if(result.variables.begin(), result.variables.end(),
                                       [&](const Variable& v) { return v.name == name; });
    require(variable != result.variables.end(), fmt::format("'{}' is not described", name));
    const std::size_t row = variable->per_class ? run.class_count.size() : 1;
    require(
        values.size() % row == 0 && values.size() / row <= result.steps.size(),
        fmt::format("'{}' has {} values for {} steps of {}", name, values.size(), result.steps.size(), row));
  }
}

}  // namespace

ResultShape result_shape(const Result& result) {
  ResultShape shape{result.runs.size(), result.optimizers.size(), result.steps.size(), 0};
  for (const Run& run : result.runs) {
    require(run.class_count.size() == run.class_probability.size(),
            "counts and probabilities differ in number");
    require(!run.class_count.empty(), "a run without classes");
    shape.class_group = std::max<std::uint64_t>(shape.class_group, run.class_count.size());
    require(run.trajectories.size() == result.optimizers.size(), "a run without all its trajectories");
    for (std::size_t o = 0; o < run.trajectories.size(); ++o) {
      require(run.trajectories[o].optimizer == result.optimizers[o], "trajectories out of order");
      require_series(result, run, run.trajectories[o]);
    }
  }
  require(shape.run * shape.optimizer * shape.step > 0, "no run, optimizer or step");
  for (const std::string& name : required_trajectories()) {
    require(std::any_of(result.variables.begin(), result.variables.end(),
                        [&](const Variable& v) { return v.name == name; }),
            fmt::format("'{}' is missing", name));
  }
  return shape;
}

}  // namespace rarefact
