#pragma once

/// Checkpoints of long runs: stored states of trainings, from which they resume with identical results.

#include <chrono>
#include <functional>

#include "core/archive.hpp"

namespace rarefact {

/// Thrown to end a computation early.
struct StoppedEarly {};

/// Stores the states of the trainings of one experiment (in files: sweep/checkpoint_file.hpp). A state is
/// bytes under the name of its training. Members may be called from several threads.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  /// A training that is over sooner is not stored: repeating it costs less.
  std::chrono::milliseconds worth_storing{10};

  /// The last stored state, from this or an earlier process; empty if there is none.
  virtual std::vector<std::byte> kept(const std::string& training) = 0;

  /// A number that changes when states should be stored. Trainings read it after every step, so it must be
  /// cheap. It affects only when a state is stored.
  virtual std::uint64_t round() const = 0;

  /// Replaces the stored state. If the training is `over`, it may reach the disk with the next one.
  virtual void keep(const std::string& training, std::vector<std::byte> state, bool over) = 0;
};

/// The checkpoints of one training; does nothing if `checkpoints` is null.
class TrainingCheckpoint {
 public:
  /// Loads the last stored state. `exchange` saves or loads the training.
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
    if (!checkpoints_ || (over && std::chrono::steady_clock::now() - begin_ < checkpoints_->worth_storing))
      return;
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
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace rarefact
