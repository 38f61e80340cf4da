#include "results/point_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/digest.hpp"
#include "core/error.hpp"
#include "io/hdf5.hpp"
#include "io/hdf5_image.hpp"
#include "results/point_text.hpp"

namespace rarefact {

namespace {

constexpr std::size_t trailer_bytes = 256;
constexpr std::size_t digest_line_bytes = 7 + 64 + 1;  // "sha256 ", digits, line break

/// Where a dataset lies in the file.
struct Place {
  std::uint64_t offset = 0, count = 0;  ///< bytes; of values, numbers
};

struct Trailer {
  std::string status;
  Place experiment, contents, values;
};

std::string first_line(const Trailer& t) {
  const std::string text =
      fmt::format("rarefact point {} status {} experiment {} {} contents {} {} values {} {}",
                  point_format_version, t.status, t.experiment.offset, t.experiment.count, t.contents.offset,
                  t.contents.count, t.values.offset, t.values.count);
  return fmt::format("{:<{}}\n", text, trailer_bytes - digest_line_bytes - 1);
}

[[noreturn]] void damaged(const std::filesystem::path& path, std::string_view why) {
  throw DamagedResult(fmt::format("{}: {}", path.string(), why));
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Trailer read_trailer(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  if (bytes.size() < trailer_bytes) damaged(path, "it is cut short");
  const std::vector<std::string_view> words =
      split_text(text_of(bytes.last(trailer_bytes)).substr(0, trailer_bytes - digest_line_bytes), ' ');
  Trailer t;
  const auto place = [&](std::size_t at, Place& out) {
    return read_number(words[at], out.offset) && read_number(words[at + 1], out.count);
  };
  std::int64_t version = 0;
  if (words.size() < 14 || words[0] != "rarefact" || words[1] != "point" || !read_number(words[2], version) ||
      version != point_format_version || !place(6, t.experiment) || !place(9, t.contents) ||
      !place(12, t.values)) {
    damaged(path, "its end is not that of a point of this program");
  }
  t.status = words[4];
  const std::uint64_t size = bytes.size() - trailer_bytes;
  const auto inside = [&](const Place& p, std::uint64_t unit) {
    return p.offset <= size && p.count <= (size - p.offset) / unit;
  };
  if (!inside(t.experiment, 1) || !inside(t.contents, 1) || !inside(t.values, sizeof(double)))
    damaged(path, "its end does not fit its length");
  return t;
}

std::string_view part(std::span<const std::byte> bytes, const Place& place) {
  return text_of(bytes.subspan(place.offset, place.count));
}

/// How the least successful optimizer ended.
std::string worst_status(const Run& run) {
  constexpr std::array order = {"complete", "uncertified", "diverged", "failed"};
  std::size_t worst = 0;
  for (const Trajectory& trajectory : run.trajectories) {
    const auto at = std::find(order.begin(), order.end(), trajectory.status);
    worst = std::max(worst, static_cast<std::size_t>(std::min(at, order.end() - 1) - order.begin()));
  }
  return order[worst];
}

class ImageWriter {
 public:
  /// `bytes`: of all data, nearly what the file will take.
  explicit ImageWriter(std::size_t bytes) : image_(session_, bytes + 8192) {}

  Place text(const char* name, const std::string& text) {
    const auto type = session_.own(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type");
    session_.check(H5Tset_size(type, std::max<std::size_t>(1, text.size())), "make a text type");
    session_.check(H5Tset_cset(type, H5T_CSET_UTF8), "make a text type");
    session_.check(H5Tset_strpad(type, H5T_STR_NULLPAD), "make a text type");
    const auto space = session_.own(H5Screate(H5S_SCALAR), H5Sclose, "write a text");
    return {put(name, type, type, space, text.data()), text.size()};
  }

  Place numbers(const char* name, const std::vector<double>& numbers) {
    const hsize_t count = numbers.size();
    const auto space = session_.own(H5Screate_simple(1, &count, nullptr), H5Sclose, "write numbers");
    return {put(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, numbers.data()), count};
  }

  FileBytes finish() { return image_.release(); }

 private:
  /// The offset of the data.
  std::uint64_t put(const char* name, hid_t stored, hid_t memory, hid_t space, const void* data) {
    const std::string what = fmt::format("write '{}'", name);
    const auto plist = session_.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
    session_.check(H5Pset_obj_track_times(plist, false), what);
    const auto dataset = session_.own(
        H5Dcreate2(image_.file(), name, stored, space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose, what);
    session_.check(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), what);
    return H5Dget_offset(dataset);
  }

  Hdf5Session session_{"point in memory"};
  Hdf5Image image_;
};

PointFile decode(std::span<const std::byte> bytes, const std::filesystem::path& path, bool with_values) {
  const Trailer t = read_trailer(bytes, path);
  PointFile file{std::string(part(bytes, t.experiment)), t.status, {}};
  const auto values = bytes.subspan(t.values.offset, t.values.count * sizeof(double));
  const auto problem = read_contents(part(bytes, t.contents), values, with_values, file.result);
  if (problem) damaged(path, *problem);
  return file;
}

}  // namespace

std::vector<std::byte> encode_point(const Result& result, const std::string& experiment) {
  const PointText text = point_text(result);
  Trailer trailer;
  trailer.status = worst_status(result.runs.front());
  const FileBytes image = [&] {
    ImageWriter writer(experiment.size() + text.contents.size() + text.values.size() * sizeof(double));
    trailer.experiment = writer.text("experiment", experiment);
    trailer.contents = writer.text("contents", text.contents);
    trailer.values = writer.numbers("values", text.values);
    return writer.finish();
  }();
  const std::string line = first_line(trailer);
  std::vector<std::byte> bytes;
  bytes.reserve(image.bytes().size() + trailer_bytes);
  const auto add = [&](std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  };
  add(image.bytes());
  add(std::as_bytes(std::span(line)));
  const std::string digest = fmt::format("sha256 {}\n", sha256_hex(bytes));
  add(std::as_bytes(std::span(digest)));
  return bytes;
}

std::string verify_point(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  if (bytes.size() < trailer_bytes) damaged(path, "it is cut short");
  const std::string digest =
      fmt::format("sha256 {}\n", sha256_hex(bytes.first(bytes.size() - digest_line_bytes)));
  if (digest != text_of(bytes.last(digest_line_bytes)))
    damaged(path, "its bytes are not those its checksum was written for");
  const Trailer t = read_trailer(bytes, path);
  if (sha256_hex(part(bytes, t.experiment)) != path.stem().string())
    damaged(path, "it holds another point than its name says");
  return t.status;
}

PointFile decode_point(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  verify_point(bytes, path);
  return decode(bytes, path, true);
}

PointFile decode_point_head(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  return decode(bytes, path, false);
}

}  // namespace rarefact
