#pragma once

/// An HDF5 file that is written into memory, so that the disk is touched only when all its bytes are known
/// and a full disk never meets HDF5 halfway.

#include "io/file_bytes.hpp"
#include "io/hdf5.hpp"

namespace rarefact {

/// A new file in memory. Its object headers carry no times and remember the order in which objects and
/// attributes were made; its format is that of HDF5 1.8.
class Hdf5Image {
 public:
  explicit Hdf5Image(const Hdf5Session& session);
  Hdf5Image(const Hdf5Image&) = delete;
  Hdf5Image& operator=(const Hdf5Image&) = delete;
  ~Hdf5Image();

  hid_t file() const { return file_; }

  /// Closes the file and gives its bytes. Every handle into it must have been closed. Call once.
  FileBytes close();

 private:
  const Hdf5Session& session_;
  void* memory_ = nullptr;  ///< what HDF5 had written when it closed the file
  Hdf5Handle file_;
};

}  // namespace rarefact
