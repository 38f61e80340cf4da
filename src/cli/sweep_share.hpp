#pragma once

// Which points of a sweep this process is to see to.

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/sweep_run.hpp"

namespace rarefact {

/// The points that this process is to see to, and those of them it has to compute; both longest first, every
/// different point once.
struct Share {
  std::vector<std::size_t> all, missing;
  std::size_t finished() const { return all.size() - missing.size(); }
};

/// Shards deal the whole plan out with the longest point first, so that which part a point belongs to depends
/// on nothing else.
Share share_of(const SweepStart& start, const PointReport& report, const std::optional<Shard>& shard);

/// InputError if one of these points needs more memory than there is. Which points another process has to
/// compute, perhaps on a larger machine, is no concern of this one.
void refuse_too_large(const SweepFiles& files, const FileReaders& readers, const SweepStart& start,
                      std::vector<std::size_t> indices, int threads);

}  // namespace rarefact
