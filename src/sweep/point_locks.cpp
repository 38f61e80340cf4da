#include "sweep/point_locks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

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

}  // namespace rarefact
