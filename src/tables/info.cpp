#include "tables/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/text.hpp"
#include "results/result_file.hpp"
#include "tables/summary.hpp"

namespace rarefact {

namespace {

/// More values of an axis than this are not all shown.
constexpr std::size_t most_values = 12;
/// More runs than this are shown in one table.
constexpr std::size_t most_described = 4;

/// The value at the last recorded step that has one, and which step that is.
std::string last_loss(const Trajectory& trajectory, const std::string& name,
                      const std::vector<std::int64_t>& steps) {
  const auto found = trajectory.series.find(name);
  const std::ptrdiff_t last = found == trajectory.series.end() ? -1 : last_record(found->second, 1);
  if (last < 0) return "-";
  const auto i = static_cast<std::size_t>(last);
  const bool at_end = i + 1 == steps.size();
  return fmt::format("{:.6g}{}", found->second[i], at_end ? "" : fmt::format(" (step {})", steps[i]));
}

std::string describe_run(const Run& run, const Result& result) {
  const double classes = std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0);
  std::string text =
      fmt::format("\nrun {}: {:.13g} classes in {} groups\n", run.index, classes, run.class_count.size());
  for (const auto& [key, value] : run.parameters) text += fmt::format("  {} = {}\n", key, swept_text(value));
  std::vector<std::vector<std::string>> rows = {{"optimizer", "engine", "status", "loss", "predicted"}};
  for (const Trajectory& trajectory : run.trajectories) {
    const std::string status = trajectory.status == "complete"
                                   ? trajectory.status
                                   : fmt::format("{} at step {}", trajectory.status, trajectory.status_step);
    rows.push_back({trajectory.optimizer, trajectory.engine, status,
                    last_loss(trajectory, "loss", result.steps),
                    last_loss(trajectory, "loss_predicted", result.steps)});
  }
  text += aligned_table(rows);
  for (const Trajectory& trajectory : run.trajectories) {
    if (!trajectory.status_detail.empty())
      text += fmt::format("{}: {}\n", trajectory.optimizer, trajectory.status_detail);
  }
  return text;
}

/// A line for every swept key with the values it takes, in the order in which runs have them.
std::string describe_axes(const Result& result) {
  std::map<std::string, std::vector<std::string>> axes;
  for (const Run& run : result.runs) {
    for (const auto& [key, value] : run.parameters) {
      auto& values = axes[key];
      const std::string text = swept_text(value);
      if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
    }
  }
  std::string text;
  for (const auto& [key, values] : axes) {
    const std::size_t shown = values.size() > most_values ? most_values - 1 : values.size();
    std::vector<std::string> parts(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown));
    if (shown < values.size()) parts.insert(parts.end(), {"...", values.back()});
    text += fmt::format("  sweep: {}, {} value{}: {}\n", key, values.size(), values.size() == 1 ? "" : "s",
                        fmt::join(parts, ", "));
  }
  return text;
}

}  // namespace

std::string describe_result(const std::filesystem::path& path) {
  const auto [result, provenance] = read_stored_result(path);
  std::vector<std::string> names;
  for (const Variable& variable : result.variables) names.push_back(variable.name);
  std::string text =
      fmt::format("{}\n  {} run{}, {} optimizer{}, {} recorded steps up to {}\n  variables: {}\n",
                  result.title, result.runs.size(), result.runs.size() == 1 ? "" : "s",
                  result.optimizers.size(), result.optimizers.size() == 1 ? "" : "s", result.steps.size(),
                  result.steps.back(), fmt::join(names, ", "));
  text += describe_axes(result);
  if (result.runs.size() > most_described) {
    text += "\n" + end_table(result);
  } else {
    for (const Run& run : result.runs) text += describe_run(run, result);
  }
  text += fmt::format("loss in nats at step {} where no other is given\n\n", result.steps.back());
  text += fmt::format("written by rarefact {} (commit {}, numerics {}), {}, HDF5 {}\nflags: {}\n",
                      provenance.rarefact_version, provenance.git_commit, provenance.numerics_id,
                      provenance.compiler, provenance.hdf5_version, provenance.compiler_flags);
  return text;
}

}  // namespace rarefact
