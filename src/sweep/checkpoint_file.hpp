#pragma once

/// Checkpoints in files ID.checkpoint, beside the finished points of a store. Each is a sealed file
/// (io/sealed_record.hpp) of the states of all trainings, whose title names the point and the program.

#include "sim/checkpoint.hpp"
#include "sweep/interval_clock.hpp"
#include "sweep/point_store.hpp"

namespace rarefact {

class CheckpointFiles : public Checkpoints {
 public:
  /// Reads the checkpoint of the point if this program wrote it. `say` gets lines for the user: where the point
  /// continues, that the file is damaged and the point starts from step 0, that a checkpoint cannot be written (the run continues
  /// without). Clock and store must outlive this object.
  CheckpointFiles(const PointStore& store, const PointId& id, const IntervalClock& clock,
                  std::function<void(const std::string&)> say);

  std::vector<std::byte> kept(const std::string& training) override;
  std::uint64_t round() const override { return clock_.count(); }
  void keep(const std::string& training, std::vector<std::byte> state, bool over) override;

 private:
  void write();

  const PointStore& store_;
  const PointId id_;
  const IntervalClock& clock_;
  const std::function<void(const std::string&)> say_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::byte>> states_;
  bool failed_ = false;  // a write failed, and the user was told
};

/// Removes the checkpoint of a finished point.
void remove_checkpoint(const PointStore& store, const PointId& id);

}  // namespace rarefact
