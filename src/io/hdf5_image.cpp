#include "io/hdf5_image.hpp"

#include <cstdlib>
#include <utility>

#include "io/hdf5_dataset.hpp"

namespace rarefact {

namespace {

// H5Fget_file_image would be the plain way, but before HDF5 2 it clears a flag of the superblock and leaves
// the superblock's checksum as it was, so that the image cannot be opened (HDFGroup/hdf5, issue 1915).
// Instead these callbacks keep the memory of the file when HDF5, having closed it properly, would free it.

void* image_malloc(size_t size, H5FD_file_image_op_t, void*) {
  return std::malloc(size);
}

void* image_realloc(void* memory, size_t size, H5FD_file_image_op_t, void*) {
  return std::realloc(memory, size);
}

herr_t image_free(void* memory, H5FD_file_image_op_t operation, void* keep) {
  if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
    *static_cast<void**>(keep) = memory;
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

/// Memory grows by so many bytes at a time, which are zeroed.
constexpr std::size_t memory_step = std::size_t{4} << 20;
/// Where a superblock of version 2 has the length of the file: 8 bytes, little-endian.
constexpr std::size_t length_offset = 28;

}  // namespace

Hdf5Image::Hdf5Image(const Hdf5Session& session) : session_(session) {
  const char* what = "set up the file";
  const auto access = session.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, what);
  session.check(H5Pset_fapl_core(access, memory_step, false), what);
  H5FD_file_image_callbacks_t callbacks = {image_malloc, nullptr,   image_realloc, image_free,
                                           keep_copy,    keep_free, &memory_};
  session.check(H5Pset_file_image_callbacks(access, &callbacks), what);
  session.check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), what);
  const auto creation = creation_properties(session, H5P_FILE_CREATE);
  session.check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), what);
  file_ = session.own(H5Fcreate(session.file().c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose,
                      "create the file");
}

Hdf5Image::~Hdf5Image() {
  file_ = {};
  std::free(memory_);
}

FileBytes Hdf5Image::close() {
  session_.check(H5Fclose(file_.release()), "finish the file");
  if (memory_ == nullptr) session_.fail("finish the file: something in it is still open");
  std::uint64_t size = 0;
  for (std::size_t i = 8; i-- > 0;) {
    size = size << 8 | static_cast<const unsigned char*>(memory_)[length_offset + i];
  }
  return {std::exchange(memory_, nullptr), size};
}

}  // namespace rarefact
