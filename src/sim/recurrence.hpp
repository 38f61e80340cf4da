#pragma once

/// States that come back: from then on a training goes through a cycle.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.hpp"

namespace rarefact {

/// Updates are functions of the state where neither samples nor schedules enter, so one state that comes back bit for
/// bit says all that follows. Brent's method: one earlier state is kept, a later one whenever the steps have doubled,
/// so that a cycle of P updates, entered after N, is known after at most 2 max(N, P) + P.
class Recurrence {
 public:
  /// To be asked after every update until there is an answer: the updates of a cycle; 0 as long as none has closed.
  std::int64_t period(std::int64_t step, std::vector<std::byte> state) {
    if (period_ > 0) return period_;
    if (step > seen_at_ && state == seen_) {
      seen_.clear();
      return period_ = step - seen_at_;
    }
    if (step >= 2 * seen_at_) {
      seen_ = std::move(state);
      seen_at_ = step;
    }
    return 0;
  }
  bool closed() const { return period_ > 0; }
  void exchange(Archive& archive) { archive(seen_, seen_at_, period_); }

 private:
  std::vector<std::byte> seen_;
  std::int64_t seen_at_ = 0, period_ = 0;
};

}  // namespace rarefact
