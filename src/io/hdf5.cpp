#include "io/hdf5.hpp"

#include <fmt/format.h>

#include <limits>

#include "rarefact/error.hpp"

namespace rarefact {

namespace {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Deflate cannot shrink below 1 : 1032; twice that leaves room for the other parts of a chunk.
constexpr hsize_t most_expansion = 2064;

}  // namespace

Hdf5Session::Hdf5Session(std::string file) : lock_(hdf5_mutex()), file_(std::move(file)) {
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() {
  H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_);
}

void Hdf5Session::fail(std::string_view what) const {
  std::string reason;
  // Upwards from the call that failed first: its description says most.
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned level, const H5E_error2_t* error, void* text) -> herr_t {
        if (level == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
        return 0;
      },
      &reason);
  throw FileError(
      fmt::format("{}: cannot {}{}", file_, what, reason.empty() ? "" : fmt::format(" (HDF5: {})", reason)));
}

Hdf5Handle Hdf5Session::open_for_reading(const std::string& path) const {
  const auto access = own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up reading");
  check(H5Pset_file_locking(access, false, true), "set up reading");
  // Whoever forgets a handle must not keep the file open.
  check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "set up reading");
  return own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open it as an HDF5 file");
}

Hdf5Handle Hdf5Session::open_dataset(hid_t file, const std::string& name) const {
  const std::string what = fmt::format("open the dataset '{}'", name);
  // Link by link: a soft or external link anywhere on the way could lead out of this file.
  for (std::size_t end = name.find('/', 1); true; end = name.find('/', end + 1)) {
    H5L_info_t link{};
    check(H5Lget_info(file, name.substr(0, end).c_str(), &link, H5P_DEFAULT), what);
    if (link.type != H5L_TYPE_HARD) fail(what + ": it is a link to elsewhere");
    if (end == std::string::npos) break;
  }
  auto dataset = own(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, what);
  const auto plist = own(H5Dget_create_plist(dataset), H5Pclose, what);
  const auto layout = check(H5Pget_layout(plist), what);
  if (layout == H5D_VIRTUAL || check(H5Pget_external_count(plist), what) > 0) {
    fail(what + ": its data are in other files");
  }
  return dataset;
}

std::vector<hsize_t> Hdf5Session::extents(hid_t dataset, const std::string& name) const {
  const std::string what = fmt::format("read the dimensions of '{}'", name);
  const auto space = own(H5Dget_space(dataset), H5Sclose, what);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space), what)));
  if (!sizes.empty()) check(H5Sget_simple_extent_dims(space, sizes.data(), nullptr), what);
  return sizes;
}

void Hdf5Session::require_plausible_size(hid_t file, hid_t dataset, const std::string& name,
                                         std::size_t cell_bytes) const {
  const std::string what = fmt::format("read '{}'", name);
  hsize_t bytes = cell_bytes;
  for (const hsize_t extent : extents(dataset, name)) {
    if (extent != 0 && bytes > std::numeric_limits<std::int64_t>::max() / extent) {
      fail(what + ": its size is impossible");
    }
    bytes *= extent;
  }
  hsize_t file_bytes = 0;
  check(H5Fget_filesize(file, &file_bytes), what);
  const hsize_t stored = H5Dget_storage_size(dataset);
  if (stored > file_bytes || bytes / most_expansion > stored || (stored == 0 && bytes > 0)) {
    fail(fmt::format("{}: it claims {} bytes but stores {}", what, bytes, stored));
  }
}

Hdf5Handle hdf5_text_type(const Hdf5Session& session) {
  auto type = session.own(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type");
  session.check(H5Tset_size(type, H5T_VARIABLE), "make a text type");
  session.check(H5Tset_cset(type, H5T_CSET_UTF8), "make a text type");
  return type;
}

void write_text_attribute(const Hdf5Session& session, hid_t object, const std::string& name,
                          const std::string& text) {
  const std::string what = fmt::format("write the attribute '{}'", name);
  const auto type = hdf5_text_type(session);
  const auto space = session.own(H5Screate(H5S_SCALAR), H5Sclose, what);
  const auto attribute =
      session.own(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  const char* pointer = text.c_str();
  session.check(H5Awrite(attribute, type, &pointer), what);
}

std::string read_text_attribute(const Hdf5Session& session, hid_t object, const std::string& name) {
  const std::string what = fmt::format("read the attribute '{}'", name);
  const auto attribute = session.own(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, what);
  const auto type = session.own(H5Aget_type(attribute), H5Tclose, what);
  const auto space = session.own(H5Aget_space(attribute), H5Sclose, what);
  if (H5Tis_variable_str(type) <= 0 || H5Sget_simple_extent_npoints(space) != 1) {
    session.fail(what + ": it is not a text");
  }
  char* pointer = nullptr;
  session.check(H5Aread(attribute, hdf5_text_type(session), &pointer), what);
  const std::string text = pointer != nullptr ? pointer : "";
  H5free_memory(pointer);
  return text;
}

}  // namespace rarefact
