#include "sweep/point_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "results/result_encoder.hpp"

namespace rarefact {

namespace {

/// Points read at a time when their heads are collected.
constexpr std::size_t inspected_at_once = 256;
/// What points read at a time may take, and how many they are at most. Part of the result: where its chunks
/// lie in the file depends on it.
constexpr double merged_bytes_at_once = 32.0 * (1 << 20);
constexpr std::size_t most_merged_at_once = 4096;

/// What is found in one file.
struct Inspected {
  std::string status;
  Result head;
  std::string damage;
};

Inspected inspect(const PointStore& store, const PointId& id) {
  try {
    const auto bytes = store.bytes(id);
    Inspected found{verify_point(bytes, store.path(id)), {}, {}};
    found.head = decode_point_head(bytes, store.path(id)).result;
    return found;
  } catch (const DamagedResult& error) {
    return {{}, {}, error.what()};
  } catch (const FileError& error) {  // a folder in its place, or a disk that gives it back no more
    return {{}, {}, error.what()};
  }
}

/// The swept values of a point.
std::map<std::string, SweptValue> parameters_of(const ExperimentPlan& plan, std::size_t index) {
  std::map<std::string, SweptValue> parameters;
  for (auto axis = plan.axes().rbegin(); axis != plan.axes().rend(); ++axis) {
    for (std::size_t k = 0; k < axis->keys.size(); ++k)
      parameters[axis->keys[k]] = axis->values[k][index % axis->size()];
    index /= axis->size();
  }
  return parameters;
}

/// Swept key -> whether one of its values is a text.
std::map<std::string, bool> swept_kinds(const ExperimentPlan& plan) {
  std::map<std::string, bool> kinds;
  for (const SweepAxis& axis : plan.axes()) {
    for (std::size_t k = 0; k < axis.keys.size(); ++k) {
      kinds[axis.keys[k]] =
          std::any_of(axis.values[k].begin(), axis.values[k].end(),
                      [](const SweptValue& value) { return std::holds_alternative<std::string>(value); });
    }
  }
  return kinds;
}

std::size_t merged_at_once(const ResultHead& head) {
  double numbers = 1;
  for (const Variable& variable : head.described.variables)
    numbers += variable.per_class ? static_cast<double>(head.class_groups) : 1.0;
  const double bytes = sizeof(double) * numbers *
                       static_cast<double>(head.described.steps.size() * head.described.optimizers.size());
  return std::clamp(static_cast<std::size_t>(merged_bytes_at_once / bytes), std::size_t{1},
                    most_merged_at_once);
}

}  // namespace

std::size_t PointReport::finished() const {
  std::size_t points = complete;
  for (const auto& [status, count] : incomplete) points += count;
  return points;
}

PointReport inspect_points(const PointStore& store, const std::vector<PointId>& ids, int threads,
                           const StopCheck& check) {
  const PointListing listing = store.list();
  const Workers workers(threads);
  PointReport report;
  for (std::size_t begin = 0; begin < ids.size(); begin += inspected_at_once) {
    if (check) check();
    const std::size_t count = std::min(inspected_at_once, ids.size() - begin);
    std::vector<std::optional<Inspected>> found(count);
    workers.for_tiles(static_cast<Index>(count), 4, [&](Index first, Index last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        if (listing.has(ids[begin + i])) found[i] = inspect(store, ids[begin + i]);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (!found[i]) {
        report.missing.push_back(begin + i);
        if (listing.is_running(ids[begin + i])) ++report.running;
      } else if (!found[i]->damage.empty()) {
        report.damaged.push_back({begin + i, found[i]->damage});
      } else {
        ++(found[i]->status == "complete" ? report.complete : report.incomplete[found[i]->status]);
        report.head.add(found[i]->head);
        report.class_groups = std::max(report.class_groups, found[i]->head.runs.front().class_count.size());
      }
    }
  }
  return report;
}

FileBytes merge_points(const ExperimentPlan& plan, const PointStore& store, const std::vector<PointId>& ids,
                       const PointReport& report, int threads, const MergeListener& listener,
                       const StopCheck& check) {
  ResultHead head{report.head.head(), ids.size(), report.class_groups, swept_kinds(plan)};
  head.described.title = plan.point(0).experiment.name;
  head.described.experiment = resolved_text(plan);
  listener.begin(head.described);
  const Workers workers(threads);
  ResultEncoder encoder(head, threads);
  const std::size_t block = merged_at_once(head);
  for (std::size_t begin = 0; begin < ids.size(); begin += block) {
    if (check) check();
    std::vector<Run> runs(std::min(block, ids.size() - begin));
    workers.for_tiles(static_cast<Index>(runs.size()), 4, [&](Index first, Index last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        PointFile point = store.read(ids[begin + i]);
        runs[i] = std::move(spread_runs(std::move(point.result), head.described.steps).front());
        runs[i].index = static_cast<std::int64_t>(begin + i);
        runs[i].parameters = parameters_of(plan, begin + i);
      }
    });
    for (const Run& run : runs) listener.run(run);
    encoder.append(std::move(runs));
  }
  return encoder.finish();
}

}  // namespace rarefact
