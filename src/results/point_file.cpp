#include "results/point_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/digest.hpp"
#include "io/sealed_file.hpp"
#include "rarefact/error.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"

namespace rarefact {

namespace {

/// With a number that is raised when the contents below become others.
constexpr std::string_view point_title = "rarefact point 3";

/// How the least successful optimizer ended.
std::string worst_status(const Run& run) {
  constexpr std::array order = {"complete", "digits_lost", "uncertified", "diverged", "failed"};
  std::size_t worst = 0;
  for (const Trajectory& trajectory : run.trajectories) {
    const auto at = std::find(order.begin(), order.end(), trajectory.status);
    worst = std::max(worst, static_cast<std::size_t>(std::min(at, order.end() - 1) - order.begin()));
  }
  return order[worst];
}

struct StoredVariable : Variable {
  void exchange(Archive& archive) {
    std::uint8_t per = per_class;  // whatever the byte is
    archive(name, long_name, units, per, source, validity);
    per_class = per != 0;
  }
};

/// What the file holds, saved or loaded.
struct PointContents {
  PointFile& point;
  PointPart part;

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
    for (const ResultField& field : result_fields()) {
      std::visit(
          [&]<class T, class Holder>(T Holder::*member) {
            if constexpr (std::is_same_v<Holder, Run>) {
              archive(run.*member);
            } else {
              for (Trajectory& trajectory : run.trajectories) archive(trajectory.*member);
            }
          },
          field.member);
    }
    if (part == PointPart::head) return;
    for (Trajectory& trajectory : run.trajectories) archive(trajectory.series);
  }

  bool complete() const {
    const Run& run = point.result.runs.front();
    const auto of_all_groups = [&](const ResultField& field) {
      const auto* member = std::get_if<std::vector<double> Run::*>(&field.member);
      return member == nullptr || (run.**member).size() == run.class_count.size();
    };
    return !run.class_count.empty() && !point.result.steps.empty() && !run.trajectories.empty() &&
           std::ranges::all_of(result_fields(), of_all_groups);
  }
};

}  // namespace

std::vector<std::byte> encode_point(Result result, const std::string& experiment) {
  PointFile point{experiment, worst_status(result.runs.front()), std::move(result)};
  PointContents contents{point, PointPart::all};
  return sealed(point_title, contents);
}

PointFile decode_point(std::span<const std::byte> bytes, const std::filesystem::path& path, PointPart part) {
  PointFile point;
  PointContents contents{point, part};
  try {
    Archive archive(unsealed(bytes, point_title, "it is no point of this version of the program"));
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
