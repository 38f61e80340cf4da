#include "sweep/checkpoint_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "io/atomic_file.hpp"
#include "io/build_info.hpp"
#include "io/regular_file.hpp"
#include "io/sealed_record.hpp"

namespace rarefact {

namespace {

/// Titles include the program, because only the same program can read its states.
std::string title_of(const PointId& id) {
  return fmt::format("rarefact checkpoint 2 of point {} numerics {} program {} {} {}", id.hex(),
                     build_info::numerics_id, build_info::version, build_info::git_commit,
                     build_info::compiler);
}

}  // namespace

CheckpointFiles::CheckpointFiles(const PointStore& store, const PointId& id, const IntervalClock& clock,
                                 std::function<void(const std::string&)> say)
    : store_(store), id_(id), clock_(clock), say_(std::move(say)) {
  const auto path = store.checkpoint(id);
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return;
  try {
    const std::vector<std::byte> bytes = read_bytes(path);
    Archive archive(unsealed(bytes, title_of(id), "it belongs to another point or another program"));
    archive(states_);
    say_(fmt::format("continuing from the checkpoint {}", path.string()));
  } catch (const std::runtime_error& error) {
    states_.clear();
    say_(fmt::format("warning: {}: {}; the checkpoint is ignored, and the point starts from step 0",
                     path.string(), error.what()));
  }
}

std::vector<std::byte> CheckpointFiles::kept(const std::string& training) {
  const std::lock_guard lock(mutex_);
  const auto found = states_.find(training);
  return found == states_.end() ? std::vector<std::byte>{} : found->second;
}

void CheckpointFiles::keep(const std::string& training, std::vector<std::byte> state, bool over) {
  state.shrink_to_fit();
  const std::lock_guard lock(mutex_);
  states_[training] = std::move(state);
  if (over) return;
  try {
    write();
  } catch (const FileError& error) {
    if (!failed_) say_(fmt::format("warning: {}; the run continues without this checkpoint", error.what()));
    failed_ = true;
  }
}

void CheckpointFiles::write() {
  make_folder_of(store_.checkpoint(id_));
  TemporaryFile file(store_.checkpoint(id_), sealed(title_of(id_), states_));
  file.publish();
  sync_folder(store_.folder());
}

void remove_checkpoint(const PointStore& store, const PointId& id) {
  // A leftover is harmless.
  ::unlink(store.checkpoint(id).c_str());
}

}  // namespace rarefact
