#include "sweep/point_claims.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "io/atomic_file.hpp"
#include "sweep/point_store.hpp"

namespace rarefact {

namespace {

/// So many hexadecimal digits of a point's name, times max_numbers + 1, are its offset in the file.
constexpr std::size_t place_digits = 10;

/// The byte range that claims a point: from its position on, as many bytes as the number of the process.
struct flock bytes_of(const PointId& id, short type, std::uint64_t count) {
  std::uint64_t place = 0;
  std::from_chars(id.digits.data(), id.digits.data() + place_digits, place, 16);
  struct flock bytes = {};
  bytes.l_type = type;
  bytes.l_whence = SEEK_SET;
  bytes.l_start = static_cast<off_t>(place * (AppendFile::max_numbers + 1));
  bytes.l_len = static_cast<off_t>(count);
  return bytes;
}

}  // namespace

PointClaims::PointClaims(const std::filesystem::path& folder, Use use) : folder_(folder) {
  const int how = use == Use::take ? O_RDWR | O_CREAT : O_RDONLY;
  file_ = ::open((folder / name).c_str(), how | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
}

PointClaims::~PointClaims() {
  if (file_ >= 0) ::close(file_);
}

bool PointClaims::take(const PointId& id, std::uint32_t number) {
  struct flock bytes = bytes_of(id, F_WRLCK, number);
  if (::fcntl(file_, F_OFD_SETLK, &bytes) == 0 || (errno != EAGAIN && errno != EACCES)) return true;
  bytes = bytes_of(id, F_WRLCK, number);
  // Given back in between, it will be free at the next attempt.
  if (::fcntl(file_, F_OFD_GETLK, &bytes) == 0 && bytes.l_type == F_UNLCK) return false;
  return !at_work(static_cast<std::uint64_t>(bytes.l_len));
}

void PointClaims::give_back(const PointId& id) {
  struct flock bytes = bytes_of(id, F_UNLCK, AppendFile::max_numbers);
  ::fcntl(file_, F_OFD_SETLK, &bytes);
}

bool PointClaims::taken(const PointId& id) const {
  struct flock bytes = bytes_of(id, F_WRLCK, AppendFile::max_numbers);
  return ::fcntl(file_, F_OFD_GETLK, &bytes) == 0 && bytes.l_type != F_UNLCK &&
         at_work(static_cast<std::uint64_t>(bytes.l_len));
}

bool PointClaims::at_work(std::uint64_t number) const {
  const auto file = folder_ / AppendFile::name_of(static_cast<std::uint32_t>(number), PointStore::points_end);
  std::error_code none;
  const auto touched = std::filesystem::last_write_time(file, none);
  return !none && std::filesystem::file_time_type::clock::now() - touched < recent_touch;
}

}  // namespace rarefact
