#include "cli/sweep_share.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "cli/memory_limit.hpp"
#include "cli/sweep_report.hpp"

namespace rarefact {

namespace {

constexpr std::size_t most_refused = 10;

}  // namespace

Share share_of(const SweepStart& start, const PointReport& report, const std::optional<Shard>& shard) {
  std::vector<std::size_t> order(start.ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  order = longest_first(std::move(order), start.survey.seconds);
  std::vector<bool> wanted(order.size(), false);
  for (const std::size_t index : report.missing) wanted[index] = true;
  for (const DamagedPoint& point : report.damaged) wanted[point.index] = true;
  std::set<PointId> seen;
  Share share;
  std::size_t dealt = 0;
  for (const std::size_t index : order) {
    if (!seen.insert(start.ids[index]).second) continue;
    if (shard && dealt++ % shard->of != shard->index) continue;
    share.all.push_back(index);
    if (wanted[index]) share.missing.push_back(index);
  }
  return share;
}

void refuse_too_large(const SweepFiles& files, const FileReaders& readers, const SweepStart& start,
                      std::vector<std::size_t> indices, int threads) {
  std::erase_if(indices, [&](std::size_t index) {
    return !std::binary_search(start.survey.too_large.begin(), start.survey.too_large.end(), index);
  });
  if (indices.empty()) return;
  std::sort(indices.begin(), indices.end());
  SweepSurvey survey;
  survey.refused = indices.size();
  if (indices.size() > most_refused) indices.resize(most_refused);
  for (const std::size_t index : indices) {
    const SweepPoint point = files.plan.point(index);
    try {
      require_memory(point.experiment, resolve(point.experiment, readers), memory_limit_bytes(), threads);
    } catch (const InputError& error) {
      survey.refusals.push_back({index, point.parameters, error.problems()});
    }
  }
  throw refusal(survey, files.experiment_file);
}

}  // namespace rarefact
