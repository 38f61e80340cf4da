#include "sweep/point_store.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/digest.hpp"
#include "core/parallel.hpp"
#include "experiment/write.hpp"
#include "io/atomic_file.hpp"
#include "io/build_info.hpp"
#include "io/regular_file.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

constexpr std::chrono::hours leftover_age(1);
/// Points in one tile when names are computed.
constexpr Index naming_tile = 16;

/// The point in the name of a file with that end.
std::optional<PointId> id_of(std::string_view name, std::string_view end) {
  PointId id;
  if (name.size() != id.digits.size() + end.size() || !name.ends_with(end) ||
      name.substr(0, id.digits.size()).find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return std::nullopt;
  std::copy_n(name.begin(), id.digits.size(), id.digits.begin());
  return id;
}

std::chrono::file_clock::duration age(const std::filesystem::directory_entry& entry) {
  std::error_code gone;
  const auto changed = entry.last_write_time(gone);
  return gone ? std::chrono::file_clock::duration::zero() : std::chrono::file_clock::now() - changed;
}

/// Calls visit(entry, name) for everything in a folder that may not exist.
template <class Visit>
void for_entries(const std::filesystem::path& folder, Visit visit) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    visit(*entry, entry->path().filename().string());
  if (error) throw FileError(fmt::format("{}: cannot list the folder: {}", folder.string(), error.message()));
}

}  // namespace

std::string PointNames::canonical_text(const Experiment& experiment) {
  Experiment nameless = experiment;
  nameless.name.clear();
  std::string text = to_toml(nameless);
  for (const std::string& file : named_files(experiment)) {
    const std::lock_guard lock(mutex_);
    const auto [place, fresh] = digests_.emplace(experiment.base_directory + '\n' + file, "");
    if (fresh) place->second = with_digests("", {file}, experiment.base_directory);
    text += place->second;
  }
  return text + fmt::format("\n# numerics {}\n", build_info::numerics_id);
}

PointId PointNames::id(const Experiment& experiment) {
  return *id_of(sha256_hex(canonical_text(experiment)), "");
}

std::vector<PointId> point_ids(const ExperimentPlan& plan, int threads) {
  std::vector<PointId> ids(plan.size());
  PointNames names;
  Workers(threads).for_tiles(static_cast<Index>(plan.size()), naming_tile, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      ids[i] = names.id(plan.point(i).experiment);
  });
  return ids;
}

PointStore::PointStore(const std::filesystem::path& output) : folder_(output.string() + ".points") {}

PointListing PointStore::list() const {
  PointListing listing;
  for_entries(folder_, [&](const auto& entry, const std::string& name) {
    if (const auto point = id_of(name, point_end)) listing.present.push_back(*point);
    if (const auto mark = id_of(name, mark_end); mark && age(entry) < recent_mark)
      listing.running.push_back(*mark);
  });
  std::sort(listing.present.begin(), listing.present.end());
  std::sort(listing.running.begin(), listing.running.end());
  return listing;
}

bool PointStore::holds(const PointId& id) const {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path(id), ignored)) return false;
  try {
    read(id, PointPart::head);
    return true;
  } catch (const DamagedResult&) {
    return false;
  }
}

PointFile PointStore::read(const PointId& id, PointPart part) const {
  return decode_point(read_bytes(path(id)), path(id), part);
}

void PointStore::make_way(const PointId& id) const {
  const std::filesystem::path name = path(id);
  std::error_code error;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(name, error))) return;
  std::filesystem::rename(name, name.string() + ".folder", error);
  if (error)
    throw FileError(fmt::format("{}: cannot move the folder away: {}", name.string(), error.message()));
}

void PointStore::remove_leftovers() const {
  // Those of the result beside the store, .OUT.h5.0a1b2c3d.tmp, too.
  const std::string of_result = "." + folder_.stem().string() + ".";
  for_entries(folder_of(folder_), [&](const auto& entry, const std::string& name) {
    if (name.starts_with(of_result) && is_temporary_name(name) && age(entry) > leftover_age)
      remove_abandoned(entry.path());
  });
  for_entries(folder_, [&](const auto& entry, const std::string& name) {
    if (is_temporary_name(name) && age(entry) > leftover_age) remove_abandoned(entry.path());
    std::error_code ignored;
    auto unfinished = id_of(name, checkpoint_end);
    if (!unfinished) unfinished = id_of(name, older_checkpoint_end);
    const bool finished = unfinished && std::filesystem::exists(path(*unfinished), ignored);
    const bool stale = name.ends_with(mark_end) && age(entry) > leftover_age;
    if (stale || finished) std::filesystem::remove(entry.path(), ignored);
  });
}

}  // namespace rarefact
