#include "sweep/point_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "core/digest.hpp"
#include "core/parallel.hpp"
#include "experiment/write.hpp"
#include "io/atomic_file.hpp"
#include "io/build_info.hpp"
#include "io/regular_file.hpp"
#include "io/sealed_record.hpp"

namespace rarefact {

namespace {

/// So many hexadecimal digits of a point's name are its offset in the file.
constexpr std::size_t place_digits = 15;

struct flock byte_of(const PointId& id, short type) {
  std::uint64_t place = 0;
  std::from_chars(id.digits.data(), id.digits.data() + place_digits, place, 16);
  struct flock byte = {};
  byte.l_type = type;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(place);
  byte.l_len = 1;
  return byte;
}

constexpr std::chrono::hours leftover_age(1);
constexpr Index naming_tile = 16;
/// Beyond this, reading records back from the page cache is faster than touching new memory.
constexpr std::size_t max_kept_bytes = std::size_t{16} << 20;

/// The point and length of a record, from its first line; nullopt if it is not the start of a record.
std::optional<std::pair<PointId, std::uint64_t>> point_in(std::string_view line) {
  const auto size = record_bytes(line);
  if (!size || line.size() != point_line_bytes || !line.starts_with(point_title)) return std::nullopt;
  const auto id = point_named(line.substr(point_title.size(), 64));
  if (!id) return std::nullopt;
  return std::pair(*id, *size);
}

std::chrono::file_clock::duration age(const std::filesystem::directory_entry& entry) {
  std::error_code failed;
  const auto changed = entry.last_write_time(failed);
  return failed ? std::chrono::file_clock::duration::zero() : std::chrono::file_clock::now() - changed;
}

/// Calls visit(entry, name) for everything in a folder, which may not exist.
template <class Visit>
void for_entries(const std::filesystem::path& folder, Visit visit) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    visit(*entry, entry->path().filename().string());
  if (error) throw FileError(fmt::format("{}: cannot list the folder: {}", folder.string(), error.message()));
}

/// True if a file of points is not there: a process that merged its points has removed it.
bool removed(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::status(file, ignored).type() == std::filesystem::file_type::not_found;
}

}  // namespace

PointLocks::PointLocks(const std::filesystem::path& folder, Use use) {
  const int how = use == Use::take ? O_RDWR | O_CREAT : O_RDONLY;
  file_ = ::open((folder / name).c_str(), how | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
}

PointLocks::~PointLocks() {
  if (file_ >= 0) ::close(file_);
}

bool PointLocks::take(const PointId& id) {
  struct flock byte = byte_of(id, F_WRLCK);
  return ::fcntl(file_, F_OFD_SETLK, &byte) == 0 || (errno != EAGAIN && errno != EACCES);
}

void PointLocks::give_back(const PointId& id) {
  struct flock byte = byte_of(id, F_UNLCK);
  ::fcntl(file_, F_OFD_SETLK, &byte);
}

bool PointLocks::taken(const PointId& id) const {
  struct flock byte = byte_of(id, F_WRLCK);
  return ::fcntl(file_, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

PointId PointNames::id(const Experiment& experiment) {
  Experiment nameless = experiment;
  nameless.name.clear();
  std::string text = to_toml(nameless);
  for (const std::string& file : named_files(experiment)) {
    const std::lock_guard lock(mutex_);
    const auto [place, fresh] = digests_.emplace(experiment.base_directory + '\n' + file, "");
    if (fresh) place->second = with_digests("", {file}, experiment.base_directory);
    text += place->second;
  }
  return *point_named(sha256_hex(text + fmt::format("\n# numerics {}\n", build_info::numerics_id)));
}

std::vector<PointId> point_ids(const ExperimentPlan& plan, int threads) {
  std::vector<PointId> ids(plan.size());
  PointNames names;
  Workers(threads).for_each(plan.size(), naming_tile,
                            [&](std::size_t i) { ids[i] = names.id(plan.point(i).experiment); });
  return ids;
}

PointStore::PointStore(const std::filesystem::path& output, std::vector<std::string> optimizers)
    : folder_(output.string() + ".points"), optimizers_(std::move(optimizers)) {}

void PointStore::look() {
  for_entries(folder_, [&](const auto& entry, const std::string& name) {
    std::error_code failed;
    if (!name.ends_with(points_end) || !entry.is_regular_file(failed)) return;
    const auto place = files_.try_emplace(entry.path()).first;
    if (place->second.own) return;
    try {
      look_at(place->first, place->second);
    } catch (const FileError&) {
      if (!removed(place->first)) throw;
    }
  });
}

void PointStore::look_for_others() {
  std::error_code failed;
  const auto changed = std::filesystem::last_write_time(folder_, failed);
  if (!failed && changed == looked_) return;
  // Two changes within the resolution of a file system's times look like one.
  const bool settled = std::filesystem::file_time_type::clock::now() - changed > std::chrono::seconds(1);
  look();
  const bool alone = std::ranges::all_of(files_, [](const auto& file) { return file.second.own; });
  looked_ = !failed && alone && settled ? changed : std::filesystem::file_time_type{};
}

void PointStore::look_at(const std::filesystem::path& file, Looked& looked) {
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(file, failed);
  if (failed || size == looked.size) return;
  looked.size = size;
  std::ifstream in = open_regular_file(file);
  const auto text_at = [&](std::uint64_t place, std::size_t length) {
    std::string text(length, '\0');
    in.clear();
    in.seekg(static_cast<std::streamoff>(place));
    in.read(text.data(), static_cast<std::streamsize>(length));
    require_read(in, file);
    return text;
  };
  for (std::uint64_t& at = looked.whole; at < size;) {
    const auto point = point_in(text_at(at, point_line_bytes));
    // Without a seal at its end it is torn, or the length damaged.
    if (!point || point->second > size - at || !is_seal(text_at(at + point->second - seal_bytes, seal_bytes)))
      return;
    places_.emplace(point->first, Place{&file, at, point->second, {}});
    at += point->second;
  }
}

void PointStore::add(const PointId& id, const std::filesystem::path& file, std::uint64_t offset,
                     std::vector<std::byte> record) {
  const std::size_t size = record.size();
  if (kept_bytes_ + record.capacity() > max_kept_bytes)
    record = std::vector<std::byte>();  // ({} would keep the memory)
  kept_bytes_ += record.capacity();
  places_.emplace(id, Place{&files_.find(file)->first, offset, size, std::move(record)});
}

bool PointStore::holds(const PointId& id) const {
  if (!has(id)) return false;
  try {
    read(id, PointPart::head);
    return true;
  } catch (const DamagedResult&) {
    return false;
  }
}

PointRecord PointStore::read(const PointId& id, PointPart part, bool verify) const {
  DamagedResult damage(fmt::format("{}: point {} is not there", folder_.string(), id.hex()));
  // Which of several copies was verified is not known.
  verify = verify || places_.count(id) > 1;
  for (auto [at, end] = places_.equal_range(id); at != end; ++at) {
    const auto& [file, offset, size, kept] = at->second;
    if (!kept.empty()) return decode_point(kept, id, file->string(), part, false);
    const std::string place = fmt::format("{}, byte {}", file->string(), offset);
    try {
      PointRecord point = decode_point(read_bytes(*file, offset, size), id, place, part, verify);
      if (optimizers_.empty() || point.result.optimizers == optimizers_) return point;
      damage = DamagedResult(place + ": its optimizers are not those of the experiment");
    } catch (const DamagedResult& error) {
      damage = error;
    } catch (const FileError&) {
      if (!removed(*file)) throw;
    }
  }
  throw damage;
}

void PointStore::forget(std::vector<PointId> joined) {
  look();
  std::ranges::sort(joined);
  std::set<const std::filesystem::path*> kept;
  for (const auto& [id, place] : places_)
    if (!std::ranges::binary_search(joined, id)) kept.insert(place.file);
  for (const auto& [file, looked] : files_)
    if (!kept.contains(&file)) remove_abandoned(file);
  std::error_code ignored;
  std::filesystem::remove(partial_result(), ignored);
  bool others = false;
  for_entries(folder_, [&](const auto&, const std::string& name) { others |= name != PointLocks::name; });
  if (!others) std::filesystem::remove_all(folder_, ignored);
}

void PointStore::remove_leftovers() {
  look();
  // Includes those of the result beside the store, .OUT.h5.0a1b2c3d.tmp.
  const std::string of_result = "." + folder_.stem().string() + ".";
  for_entries(folder_of(folder_), [&](const auto& entry, const std::string& name) {
    if (name.starts_with(of_result) && is_temporary_name(name) && age(entry) > leftover_age)
      remove_abandoned(entry.path());
  });
  for_entries(folder_, [&](const auto& entry, const std::string& name) {
    std::error_code ignored;
    const bool empty = name.ends_with(points_end) && entry.file_size(ignored) == 0;
    if ((empty || is_temporary_name(name)) && age(entry) > leftover_age) remove_abandoned(entry.path());
    const auto unfinished = name.find(".checkpoint") == 64 ? point_named(name.substr(0, 64)) : std::nullopt;
    if (unfinished && holds(*unfinished)) std::filesystem::remove(entry.path(), ignored);
  });
}

}  // namespace rarefact
