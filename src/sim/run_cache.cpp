#include "sim/run_cache.hpp"

#include <algorithm>

namespace rarefact {

namespace {

constexpr std::size_t most_runs = 256, most_bytes = std::size_t{64} << 20;

std::size_t bytes_of(const KnownRun& run) {
  std::size_t numbers = 0;
  for (const auto& [name, series] : run.trajectory.series) numbers += series.size();
  return numbers * sizeof(double);
}

}  // namespace

std::shared_ptr<const KnownRun> KnownRuns::find(const Experiment& alone) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(latest_, [&](const auto& run) { return run->alone == alone; });
  if (found == latest_.end()) return nullptr;
  latest_.splice(latest_.begin(), latest_, found);
  return latest_.front();
}

void KnownRuns::keep(KnownRun run) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes_of(run);
  latest_.push_front(std::make_shared<const KnownRun>(std::move(run)));
  while (latest_.size() > most_runs || bytes_ > most_bytes) {
    bytes_ -= bytes_of(*latest_.back());
    latest_.pop_back();
  }
}

}  // namespace rarefact
