#include "results/point_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/digest.hpp"
#include "core/status.hpp"
#include "io/sealed_file.hpp"
#include "rarefact/error.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"

namespace rarefact {

namespace {

/// With a number that is raised when the contents below become others; with answers they are more.
constexpr std::string_view point_title = "rarefact point 4", answers_title = "rarefact point 4 with answers";

/// How the least successful optimizer ended.
std::string worst_status(const Run& run) {
  Status worst = Status::complete;
  for (const Trajectory& trajectory : run.trajectories) {
    auto status = Status::complete;
    while (status < Status::failed && trajectory.status != status)
      status = static_cast<Status>(static_cast<int>(status) + 1);
    worst = std::max(worst, status);
  }
  return text_of(worst);
}

struct StoredVariable : Variable {
  void exchange(Archive& archive) {
    auto group = static_cast<std::uint8_t>(along);
    archive(name, long_name, units, group, source, validity);
    if (group > static_cast<std::uint8_t>(Along::answer_groups))
      throw std::runtime_error("its contents are not complete");
    along = static_cast<Along>(group);
  }
};

/// What the file holds, saved or loaded.
struct PointContents {
  PointFile& point;
  PointPart part;
  bool has_answers = false;

  void exchange(Archive& archive) {
    Result& result = point.result;
    std::vector<StoredVariable> variables;
    for (const Variable& variable : result.variables) variables.push_back({variable});
    archive(point.experiment, point.status, result.steps, result.optimizers, variables);
    result.variables.assign(variables.begin(), variables.end());
    result.runs.resize(1);
    Run& run = result.runs.front();
    run.trajectories.resize(result.optimizers.size());
    for (std::size_t o = 0; o < run.trajectories.size(); ++o)
      run.trajectories[o].optimizer = result.optimizers[o];
    if (has_answers && !run.answers) run.answers.emplace();
    const FieldsPresent present{has_answers, has_many_steps(result.steps), true};
    for (const ResultField& field : result_fields()) {
      if (!present(field)) continue;
      visit_field(field, run, [&](auto& value) { archive(value); });
    }
    if (part == PointPart::head) return;
    for (Trajectory& trajectory : run.trajectories) archive(trajectory.series);
  }

  bool complete() const {
    const Run& run = point.result.runs.front();
    bool of_all_groups = true;
    for (const ResultField& field : result_fields())
      visit_groups(field, run, [&](const auto& numbers) {
        of_all_groups = of_all_groups &&
                        (numbers.size() == width_of(run, field.along) || (field.of_table && numbers.empty()));
      });
    return !run.class_count.empty() && !(run.answers && run.answers->count.empty()) &&
           !point.result.steps.empty() && !run.trajectories.empty() && of_all_groups;
  }
};

}  // namespace

std::vector<std::byte> encode_point(Result result, const std::string& experiment) {
  PointFile point{experiment, worst_status(result.runs.front()), std::move(result)};
  const bool has_answers = point.result.runs.front().answers.has_value();
  PointContents contents{point, PointPart::all, has_answers};
  return sealed(has_answers ? answers_title : point_title, contents);
}

PointFile decode_point(std::span<const std::byte> bytes, const std::filesystem::path& path, PointPart part) {
  PointFile point;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool has_answers = text.starts_with(answers_title);
  PointContents contents{point, part, has_answers};
  try {
    Archive archive(unsealed(bytes, has_answers ? answers_title : point_title,
                             "it is no point of this version of the program"));
    archive(contents);
    if (part == PointPart::all) archive.finish();
    if (!contents.complete()) throw std::runtime_error("its contents are not complete");
    const auto findings = implausible_values(point.result);
    if (!findings.empty()) throw std::runtime_error(findings.front());
    if (sha256_hex(point.experiment) != path.stem().string())
      throw std::runtime_error("it holds another point than its name says");
  } catch (const std::runtime_error& error) {
    throw DamagedResult(fmt::format("{}: {}", path.string(), error.what()));
  }
  return point;
}

}  // namespace rarefact
