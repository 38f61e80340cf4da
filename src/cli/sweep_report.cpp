#include "cli/sweep_report.hpp"

#include <fmt/format.h>

#include "experiment/write.hpp"
#include "tables/summary.hpp"

namespace rarefact {

std::string memory_text(double bytes) {
  const double scale = bytes < 1e6 ? 1e3 : bytes < 1e9 ? 1e6 : 1e9;
  return fmt::format("{:.3g} {}", bytes / scale, bytes < 1e6 ? "kB" : bytes < 1e9 ? "MB" : "GB");
}

std::string parameter_text(const std::map<std::string, SweptValue>& parameters) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : parameters) parts.push_back(fmt::format("{} = {}", key, swept_text(value)));
  return joined(parts);
}

std::string engine_line(const EngineChoice& choice) {
  return fmt::format("{}: engine {}, {} ({})\n", choice.optimizer, name_of(choice.reduction.engine),
                     memory_text(choice.cost.bytes), choice.reason);
}

std::string plan_line(const ExperimentPlan& plan) {
  std::vector<std::string> axes;
  for (const SweepAxis& axis : plan.axes()) axes.push_back(fmt::format("{} ({})", axis.name(), axis.size()));
  return fmt::format("{} point{}: {}", plan.size(), plan.size() == 1 ? "" : "s", joined(axes, " × "));
}

std::string survey_lines(const SweepSurvey& survey) {
  std::string text;
  for (const auto& [optimizer, engines] : survey.engines) {
    std::vector<std::string> parts;
    for (const auto& [engine, points] : engines)
      parts.push_back(fmt::format("{} ({} point{})", engine, points, points == 1 ? "" : "s"));
    text += fmt::format("{}: engine {}\n", optimizer, joined(parts));
  }
  return text;
}

InputError refusal(const SweepSurvey& survey, const std::string& file) {
  std::vector<Problem> problems;
  for (const SweepSurvey::Refusal& point : survey.refusals) {
    for (const Problem& problem : point.problems) {
      problems.push_back(
          {file, 0, 0,
           fmt::format("point {} ({}): {}", point.index, parameter_text(point.parameters), problem.message)});
    }
  }
  const std::size_t more = survey.refused - survey.refusals.size();
  if (more > 0) problems.push_back({file, 0, 0, fmt::format("and {} more points that cannot run", more)});
  return InputError(std::move(problems));
}

std::string dry_run_text(const ExperimentPlan& plan, const FileReaders& readers, const std::string& estimates,
                         const std::vector<std::size_t>& shown) {
  std::string text = fmt::format("# {}\n{}", plan_line(plan), estimates);
  for (const std::size_t i : shown) {
    const SweepPoint point = plan.point(i);
    text += fmt::format("\n# point {}: {}\n{}\n", i, parameter_text(point.parameters),
                        resolved_text(point.experiment));
    for (const EngineChoice& choice : resolve(point.experiment, readers).engines)
      text += "# " + engine_line(choice);
  }
  return text;
}

}  // namespace rarefact
