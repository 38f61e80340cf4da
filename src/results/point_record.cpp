#include "results/point_record.hpp"

#include <fmt/format.h>

#include "core/status.hpp"
#include "io/sealed_record.hpp"
#include "rarefact/error.hpp"
#include "results/result_file.hpp"

namespace rarefact {

namespace {

struct StoredVariable : Variable {
  void exchange(Archive& archive) {
    auto group = static_cast<std::uint8_t>(along);
    archive(group);
    for (const auto& [name_of_text, text] : variable_texts) archive(this->*text);
    if (group > static_cast<std::uint8_t>(Along::bands))
      throw std::runtime_error("its contents are not complete");
    along = static_cast<Along>(group);
  }
};

/// Saves or loads the contents of the record. Increase the number in point_title when this changes.
struct PointContents {
  PointRecord& point;
  PointPart part;

  void exchange(Archive& archive) {
    Result& result = point.result;
    std::vector<StoredVariable> variables;
    for (const Variable& variable : result.variables) variables.push_back({variable});
    result.runs.resize(1);
    Run& run = result.runs.front();
    std::uint8_t has_answers = run.answers ? 1 : 0;  // any byte of a damaged file can be loaded
    archive(point.status, has_answers, result.steps, result.optimizers, variables);
    result.variables.assign(variables.begin(), variables.end());
    run.trajectories.resize(result.optimizers.size());
    for (std::size_t o = 0; o < run.trajectories.size(); ++o)
      run.trajectories[o].optimizer = result.optimizers[o];
    if (has_answers != 0 && !run.answers) run.answers.emplace();
    const ResultShape all{.answers = has_answers != 0 ? std::size_t{1} : 0,
                          .bands = 1,
                          .outputs = 1,
                          .inputs = 1,
                          .inner = 1,
                          .many_steps = ResultShape::has_many_steps(result.steps),
                          .table = true};
    for (const ResultField& field : result_fields()) {
      if (!all.has(field)) continue;
      visit_field(field, run, [&](auto& value) { archive(value); });
    }
    if (part == PointPart::head) return;
    for (Trajectory& trajectory : run.trajectories) archive(trajectory.series);
  }
};

/// Says how a record contradicts itself, and with `verify` also which of its values are impossible; empty if it is sound.
std::string flaw_of(const PointRecord& point, bool verify) {
  if (std::string flaw = result_flaw(point.result); !flaw.empty() || !verify) return flaw;
  if (point.status != worst_status(point.result.runs.front())) return "its status is not that of its run";
  const auto findings = implausible_values(point.result);
  return findings.empty() ? "" : findings.front();
}

}  // namespace

std::string worst_status(const Run& run) {
  Status worst = Status::complete;
  for (const Trajectory& trajectory : run.trajectories) worst = std::max(worst, status_of(trajectory.status));
  return text_of(worst);
}

std::optional<PointId> point_named(std::string_view digits) {
  PointId id;
  if (digits.size() != id.digits.size() ||
      digits.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return std::nullopt;
  std::ranges::copy(digits, id.digits.begin());
  return id;
}

std::vector<std::byte> encode_point(const PointId& id, Result result) {
  PointRecord point{worst_status(result.runs.front()), std::move(result)};
  PointContents contents{point, PointPart::all};
  return sealed(std::string(point_title) + id.hex(), contents);
}

PointRecord decode_point(std::span<const std::byte> bytes, const PointId& id, const std::string& place,
                         PointPart part, bool verify) {
  PointRecord point;
  // The head alone does not show whether the series are those that it describes.
  PointContents contents{point, verify ? PointPart::all : part};
  try {
    Archive archive(unsealed(bytes, std::string(point_title) + id.hex(),
                             "it belongs to another point or another version of the program", verify));
    archive(contents);
    if (contents.part == PointPart::all) archive.finish();
    if (const std::string flaw = flaw_of(point, verify); !flaw.empty()) throw std::runtime_error(flaw);
    if (part == PointPart::head)
      for (Trajectory& trajectory : point.result.runs.front().trajectories) trajectory.series.clear();
  } catch (const std::runtime_error& error) {
    throw DamagedResult(fmt::format("{}: {}", place, error.what()));
  }
  return point;
}

}  // namespace rarefact
