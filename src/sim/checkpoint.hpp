#pragma once

/// Checkpoints of long runs: the states of trainings, kept from time to time, from which they go on to the
/// same numbers.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/archive.hpp"

namespace rarefact {

/// Thrown by whoever wants a computation to end before it is finished.
struct StoppedEarly {};

/// Keeps the states of the trainings of one experiment; io has one that keeps them in files. A state is bytes
/// under the name of its training. Members are called from several threads.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  /// The state kept last, now or by an earlier process; empty if there is none.
  virtual std::vector<std::byte> kept(const std::string& training) = 0;

  /// A number that changes when states ought to be kept. Trainings ask after every step, so it must cost
  /// nothing. It decides when a state is kept, never what becomes of it.
  virtual std::uint64_t round() const = 0;

  /// Keeps a state instead of an older one. Of a training that is over it need not survive the process
  /// until another one is kept.
  virtual void keep(const std::string& training, std::vector<std::byte> state, bool over) = 0;
};

/// The checkpoints of one training; does nothing where none are wanted.
class TrainingCheckpoint {
 public:
  /// Loads what was kept last. `exchange` saves or loads the training.
  TrainingCheckpoint(Checkpoints* checkpoints, std::string name, std::function<void(Archive&)> exchange)
      : checkpoints_(checkpoints), exchange_(std::move(exchange)), name_(std::move(name)) {
    if (!checkpoints_) return;
    round_ = checkpoints_->round();
    const std::vector<std::byte> kept = checkpoints_->kept(name_);
    if (kept.empty()) return;
    Archive archive(kept);
    exchange_(archive);
    archive.finish();
  }

  void keep(bool over) {
    if (!checkpoints_) return;
    Archive archive;
    exchange_(archive);
    checkpoints_->keep(name_, archive.take(), over);
  }

  void keep_if_due() {
    if (!checkpoints_ || checkpoints_->round() == round_) return;
    round_ = checkpoints_->round();
    keep(false);
  }

 private:
  Checkpoints* checkpoints_;
  std::function<void(Archive&)> exchange_;
  std::string name_;
  std::uint64_t round_ = 0;
};

}  // namespace rarefact
