#include "sweep/point_merge.hpp"

#include "core/status.hpp"
#include "experiment/write.hpp"

namespace rarefact {

namespace {

/// Number of points read at a time when heads are collected.
constexpr std::size_t inspected_at_once = 256;
/// Limits of bytes and number of points read at a time. They affect the bytes of the result, because the
/// positions of chunks in the file depend on them.
constexpr double merged_bytes_at_once = 8.0 * (1 << 20);
constexpr std::size_t max_merged_at_once = 4096;

/// The head of a point, or why it is missing. Throws FileError if the disk fails.
struct Inspected {
  Inspected(const PointStore& store, const PointId& id) {
    try {
      point = store.read(id, PointPart::head);
    } catch (const DamagedResult& error) {
      damage = error.what();
    }
  }
  PointRecord point;
  std::string damage;
};

/// The run for a missing point: a single group without classes, no answers, no bands and no numbers.
Run missing_run(const Result& head) {
  Run run;
  for (const ResultField& field : result_fields()) {
    const auto* member = std::get_if<std::vector<double> Run::*>(&field.member);
    if (member != nullptr && field.along == Along::class_groups) run.** member = {field.padding};
  }
  run.trajectories.resize(head.optimizers.size());
  for (std::size_t o = 0; o < run.trajectories.size(); ++o) {
    run.trajectories[o].optimizer = head.optimizers[o];
    run.trajectories[o].status = text_of(Status::missing);
  }
  return run;
}

std::size_t merged_at_once(const ResultHead& head) {
  double numbers = 1;
  for (const Variable& variable : head.described.variables)
    numbers += static_cast<double>(head.shape.width(variable.along));
  const double bytes = sizeof(double) * numbers *
                       static_cast<double>(head.described.steps.size() * head.described.optimizers.size());
  return std::clamp(static_cast<std::size_t>(merged_bytes_at_once / bytes), std::size_t{1},
                    max_merged_at_once);
}

}  // namespace

void PointReport::count(const std::string& status) {
  ++(status == Status::complete ? complete : incomplete[status]);
}

std::size_t PointReport::finished() const {
  std::size_t points = complete;
  for (const auto& [status, count] : incomplete) points += count;
  return points;
}

PointReport inspect_points(PointStore& store, const std::vector<PointId>& ids, int threads,
                           const StopCheck& check) {
  store.look();
  const PointLocks locks(store.folder(), PointLocks::Use::look);
  const Workers workers(threads);
  PointReport report;
  report.kinds.resize(ids.size());
  for (std::size_t begin = 0; begin < ids.size(); begin += inspected_at_once) {
    if (check) check();
    const std::size_t count = std::min(inspected_at_once, ids.size() - begin);
    std::vector<std::optional<Inspected>> found(count);
    workers.for_each(count, 4, [&](std::size_t i) {
      if (store.has(ids[begin + i])) found[i].emplace(store, ids[begin + i]);
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (!found[i]) {
        report.missing.push_back(begin + i);
        if (locks.taken(ids[begin + i])) ++report.running;
      } else if (!found[i]->damage.empty()) {
        report.damaged.push_back({begin + i, found[i]->damage});
      } else {
        const PointRecord& point = found[i]->point;
        report.count(point.status);
        report.shape.widen(point.result.runs.front());
        report.kinds[begin + i] = report.head.add(point.result);
      }
    }
  }
  return report;
}

FileBytes merge_points(const ExperimentPlan& plan, const PointStore& store, const std::vector<PointId>& ids,
                       const PointReport& report, int threads, const MergeListener& listener,
                       const StopCheck& check) {
  ResultHead head{report.head.head(), report.shape, {}};
  head.shape.runs = ids.size();
  for (const auto& [key, value] : plan.parameters(0))
    head.parameters[key] = std::holds_alternative<std::string>(value);
  head.described.title = plan.point(0).experiment.name;
  head.described.experiment = resolved_text(plan);
  head.described.rules = rules_text(plan.point(0).experiment);
  head.described.points = report.head.points(ids, report.kinds);
  // Prevents its use as the result of the experiment.
  if (!report.all_there()) head.described.experiment += "# points are missing\n";
  if (listener.begin) listener.begin(head.described);
  const Workers workers(threads);
  const std::size_t at_once = merged_at_once(head);
  std::size_t begin = 0;
  return encode_result(head, threads, [&] {
    if (check) check();
    std::vector<Run> runs(std::min(at_once, ids.size() - begin));
    workers.for_each(runs.size(), 4, [&](std::size_t i) {
      if (report.kinds[begin + i]) {
        PointRecord point = store.read(ids[begin + i], PointPart::all, false);
        runs[i] = std::move(spread_runs(std::move(point.result), head.described.steps).front());
      } else {
        runs[i] = missing_run(head.described);
      }
      runs[i].index = static_cast<std::int64_t>(begin + i);
      runs[i].parameters = plan.parameters(begin + i);
    });
    for (const Run& run : runs)
      if (listener.run) listener.run(run);
    begin += runs.size();
    return runs;
  });
}

}  // namespace rarefact
