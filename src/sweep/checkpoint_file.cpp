#include "sweep/checkpoint_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "core/archive.hpp"
#include "core/digest.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/build_info.hpp"
#include "io/file_calls.hpp"

namespace rarefact {

namespace {

constexpr std::size_t digest_line_bytes = 7 + 64 + 1;  // "sha256 ", digits, line break

/// States are for the program that wrote them alone, whatever becomes of results.
std::string first_line(const PointId& id) {
  return fmt::format("rarefact checkpoint 1 of point {} numerics {} program {} {} {}\n", id.hex(),
                     build_info::numerics_id, build_info::version, build_info::git_commit,
                     build_info::compiler);
}

std::string digest_line(std::span<const std::byte> bytes) {
  return fmt::format("sha256 {}\n", sha256_hex(bytes));
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The states in the bytes of a checkpoint. std::runtime_error with what is wrong.
std::map<std::string, std::vector<std::byte>> states_in(std::span<const std::byte> bytes, const PointId& id) {
  if (bytes.size() < digest_line_bytes) throw std::runtime_error("it is cut short");
  const auto content = bytes.first(bytes.size() - digest_line_bytes);
  if (digest_line(content) != text_of(bytes.last(digest_line_bytes)))
    throw std::runtime_error("its bytes are not those its checksum was written for");
  std::string line;
  std::map<std::string, std::vector<std::byte>> states;
  Archive archive(content);
  archive(line);
  if (line != first_line(id)) throw std::runtime_error("it is of another point or another program");
  archive(states);
  return states;
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
      say_(fmt::format("going on from the checkpoint {}", path.string()));
      return;
    }
    damaged = true;
  }
  if (damaged) say_("no checkpoint is left; the point starts afresh");
}

bool CheckpointFiles::load(const std::filesystem::path& path) {
  try {
    states_ = states_in(read_bytes(path), id_);
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
  const std::lock_guard lock(mutex_);
  states_[training] = std::move(state);
  if (over) return;
  try {
    write();
  } catch (const FileError& error) {
    if (!failed_) say_(fmt::format("warning: {}; the run goes on without this checkpoint", error.what()));
    failed_ = true;
  }
}

void CheckpointFiles::write() {
  const auto newest = store_.checkpoint(id_), older = store_.older_checkpoint(id_);
  Archive archive;
  std::string line = first_line(id_);
  archive(line, states_);
  std::vector<std::byte> bytes = archive.take();
  const std::string digest = digest_line(bytes);
  const auto end = std::as_bytes(std::span(digest));
  bytes.insert(bytes.end(), end.begin(), end.end());
  make_folder_of(newest);
  TemporaryFile file(newest, bytes);
  // There is none before the first; another process may have moved it.
  if (file_calls().rename(newest.c_str(), older.c_str()) != 0 && errno != ENOENT) {
    throw FileError(
        fmt::format("{}: cannot keep the older checkpoint: {}", older.string(), std::strerror(errno)));
  }
  file.publish();
  sync_folder(store_.folder());
}

void remove_checkpoints(const PointStore& store, const PointId& id) {
  // A leftover does no harm.
  ::unlink(store.checkpoint(id).c_str());
  ::unlink(store.older_checkpoint(id).c_str());
}

}  // namespace rarefact
