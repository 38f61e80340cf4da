#include "sweep/checkpoint_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "io/atomic_file.hpp"
#include "io/build_info.hpp"
#include "io/regular_file.hpp"
#include "io/sealed_record.hpp"
#include "rarefact/error.hpp"

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
  const auto newest = store.checkpoint(id), older = store.older_checkpoint(id);
  bool damaged = false;
  for (const auto& path : {newest, older}) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    if (load(path)) {
      say_(fmt::format("continuing from the checkpoint {}", path.string()));
      return;
    }
    damaged = true;
  }
  if (damaged) say_("no checkpoint is left; the point starts afresh");
}

bool CheckpointFiles::load(const std::filesystem::path& path) {
  try {
    const std::vector<std::byte> bytes = read_bytes(path);
    std::map<std::string, std::vector<std::byte>> states;
    Archive archive(unsealed(bytes, title_of(id_), "it is of another point or another program"));
    archive(states);
    states_ = std::move(states);
    return true;
  } catch (const std::runtime_error& error) {
    say_(fmt::format("warning: {}: {}; this checkpoint is not used", path.string(), error.what()));
    return false;
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
  const auto newest = store_.checkpoint(id_), older = store_.older_checkpoint(id_);
  make_folder_of(newest);
  TemporaryFile file(newest, sealed(title_of(id_), states_));
  // There is none before the first checkpoint; another process may also have moved it.
  if (file_calls().rename(newest.c_str(), older.c_str()) != 0 && errno != ENOENT) {
    throw FileError(
        fmt::format("{}: cannot keep the older checkpoint: {}", older.string(), std::strerror(errno)));
  }
  file.publish();
  sync_folder(store_.folder());
}

void remove_checkpoints(const PointStore& store, const PointId& id) {
  // A leftover is harmless.
  ::unlink(store.checkpoint(id).c_str());
  ::unlink(store.older_checkpoint(id).c_str());
}

}  // namespace rarefact
