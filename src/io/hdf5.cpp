#include "io/hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/digest.hpp"
#include "io/sealed_record.hpp"
#include "rarefact/error.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
// HDF5 1.10 never frees the 72 bytes in which H5LTopen_file_image counts its readers: a leak for the sanitizer to ignore.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:H5LTopen_file_image\n";
}
#endif

namespace rarefact {

namespace {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Deflate compresses by at most 1032 : 1; twice that leaves room for the other parts of a chunk.
constexpr hsize_t max_expansion = 2064;

// H5Fget_file_image would be simpler, but before HDF5 2 it clears a flag of the superblock without updating
// the superblock's checksum, so that the image cannot be opened (HDFGroup/hdf5, issue 1915). Instead these
// callbacks keep the memory of the file when HDF5, having closed it properly, would free it.

void* image_malloc(size_t size, H5FD_file_image_op_t, void* kept) {
  static_cast<ImageMemory*>(kept)->room = size;
  return std::malloc(size);
}

/// HDF5 grows its file by one step at a time. Allocates more than it asks for, so that most steps copy nothing; pages that are
/// never written cost no memory.
void* image_realloc(void* memory, size_t size, H5FD_file_image_op_t, void* kept) {
  std::size_t& room = static_cast<ImageMemory*>(kept)->room;
  if (memory != nullptr && size <= room) return memory;
  for (const std::size_t wanted : {std::max<std::size_t>(size, 4 * room), std::size_t{size}}) {
    if (void* const larger = std::realloc(memory, wanted)) {
      room = wanted;
      return larger;
    }
  }
  return nullptr;
}

herr_t image_free(void* memory, H5FD_file_image_op_t operation, void* kept) {
  if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
    static_cast<ImageMemory*>(kept)->bytes = memory;
  } else {
    std::free(memory);
  }
  return 0;
}

void* keep_copy(void* keep) {
  return keep;
}
herr_t keep_free(void*) {
  return 0;
}

/// Memory grows in steps of this many zeroed bytes.
constexpr std::size_t memory_step = std::size_t{1} << 20;
/// The offset of the file's length in a superblock of version 2: 8 bytes, little-endian.
constexpr std::size_t length_offset = 28;

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
  // Upwards from the call that failed first, whose description is the most specific.
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

Hdf5Handle Hdf5Session::open_image(std::span<const std::byte> bytes) const {
  // It is only read; HDF5 has one signature for all uses.
  return own(H5LTopen_file_image(const_cast<std::byte*>(bytes.data()), bytes.size(),
                                 H5LT_FILE_IMAGE_DONT_COPY | H5LT_FILE_IMAGE_DONT_RELEASE),
             H5Fclose, "open it as an HDF5 file");
}

void Hdf5Session::rehearse_reading(const std::function<void()>& reading, std::size_t bytes) const {
  // Far more time than a sound file needs: damage can also make the library run in a circle.
  const auto seconds = static_cast<unsigned>(10 + bytes / 10'000'000);
  const auto flaw =
      rehearse(reading, seconds, file_ + ": cannot read it: HDF5 crashes on its damaged structure");
  if (flaw) throw FileError(*flaw);
}

Hdf5Handle Hdf5Session::open_dataset(hid_t file, const std::string& name) const {
  const std::string what = fmt::format("open the dataset '{}'", name);
  // Link by link: a soft or external link anywhere on the path could lead out of this file.
  for (std::size_t end = name.find('/', 1); true; end = name.find('/', end + 1)) {
    H5L_info_t link{};
    check(H5Lget_info(file, name.substr(0, end).c_str(), &link, H5P_DEFAULT), what);
    if (link.type != H5L_TYPE_HARD) fail(what + ": it is a link to elsewhere");
    if (end == std::string::npos) break;
  }
  auto dataset = own(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, what);
  const auto plist = own(H5Dget_create_plist(dataset), H5Pclose, what);
  const auto layout = check(H5Pget_layout(plist), what);
  if (layout == H5D_VIRTUAL || check(H5Pget_external_count(plist), what) > 0)
    fail(what + ": its data are in other files");
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
    if (extent != 0 && bytes > std::numeric_limits<std::int64_t>::max() / extent)
      fail(what + ": its size is impossible");
    bytes *= extent;
  }
  hsize_t file_bytes = 0;
  check(H5Fget_filesize(file, &file_bytes), what);
  const hsize_t stored = H5Dget_storage_size(dataset);
  if (stored > file_bytes || bytes / max_expansion > stored || (stored == 0 && bytes > 0))
    fail(fmt::format("{}: it claims {} bytes but stores {}", what, bytes, stored));
}

Hdf5Handle hdf5_text_type(const Hdf5Session& session) {
  auto type = session.own(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type");
  session.check(H5Tset_size(type, H5T_VARIABLE), "make a text type");
  session.check(H5Tset_cset(type, H5T_CSET_UTF8), "make a text type");
  return type;
}

void write_attribute(const Hdf5Session& session, hid_t object, const std::string& name, hid_t type,
                     const void* value) {
  const std::string what = fmt::format("write the attribute '{}'", name);
  const auto space = session.own(H5Screate(H5S_SCALAR), H5Sclose, what);
  const auto attribute =
      session.own(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  session.check(H5Awrite(attribute, type, value), what);
}

void write_text_attribute(const Hdf5Session& session, hid_t object, const std::string& name,
                          const std::string& text) {
  const char* pointer = text.c_str();
  write_attribute(session, object, name, hdf5_text_type(session), &pointer);
}

std::string read_text_attribute(const Hdf5Session& session, hid_t object, const std::string& name) {
  const std::string what = fmt::format("read the attribute '{}'", name);
  const auto attribute = session.own(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, what);
  const auto type = session.own(H5Aget_type(attribute), H5Tclose, what);
  const auto space = session.own(H5Aget_space(attribute), H5Sclose, what);
  if (H5Tis_variable_str(type) <= 0 || H5Sget_simple_extent_npoints(space) != 1)
    session.fail(what + ": it is not a string");
  char* pointer = nullptr;
  session.check(H5Aread(attribute, hdf5_text_type(session), &pointer), what);
  const std::string text = pointer != nullptr ? pointer : "";
  H5free_memory(pointer);
  return text;
}

Hdf5Image::Hdf5Image(const Hdf5Session& session) : session_(session) {
  const char* what = "set up the file";
  const auto access = session.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, what);
  session.check(H5Pset_fapl_core(access, memory_step, false), what);
  H5FD_file_image_callbacks_t callbacks = {image_malloc, nullptr,   image_realloc, image_free,
                                           keep_copy,    keep_free, &memory_};
  session.check(H5Pset_file_image_callbacks(access, &callbacks), what);
  session.check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), what);
  const auto creation = creation_properties(session, H5P_FILE_CREATE);
  file_ = session.own(H5Fcreate(session.file().c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose,
                      "create the file");
}

Hdf5Image::~Hdf5Image() {
  file_ = {};
  std::free(memory_.bytes);
}

FileBytes Hdf5Image::close() {
  session_.check(H5Fclose(file_.release()), "finish the file");
  if (memory_.bytes == nullptr) session_.fail("finish the file: something in it is still open");
  std::uint64_t size = 0;
  for (std::size_t i = 8; i-- > 0;)
    size = size << 8 | static_cast<const unsigned char*>(memory_.bytes)[length_offset + i];
  Sha256 digest;
  digest.update({static_cast<const std::byte*>(memory_.bytes), size});
  const std::string seal = seal_line(digest.hex());
  digest.update(std::as_bytes(std::span(seal)));
  void* const sealed = std::realloc(memory_.bytes, size + seal.size());
  if (sealed == nullptr) throw std::bad_alloc();
  memory_.bytes = nullptr;
  std::ranges::copy(std::as_bytes(std::span(seal)), static_cast<std::byte*>(sealed) + size);
  return {sealed, size + seal.size(), digest.hex()};
}

}  // namespace rarefact
