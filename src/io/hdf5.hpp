#pragma once

/// The HDF5 C library with ownership, error reports, files written into memory, and whole datasets as vectors.
/// Reading fails like Hdf5Session::fail if a type is wrong or a size is not plausible, before memory is allocated.

#include <hdf5.h>
#include <hdf5_hl.h>

#include <functional>
#include <mutex>
#include <optional>
#include <variant>

#include "io/atomic_file.hpp"

namespace rarefact {

/// An HDF5 identifier that closes itself.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  operator hid_t() const { return id_; }
  /// Releases the identifier; the caller closes it.
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Work with one file. While a session exists no other thread is inside HDF5 (not every build of the library
/// is thread-safe) and HDF5 prints nothing; a failed call becomes a FileError that names the file.
class Hdf5Session {
 public:
  explicit Hdf5Session(std::string file);
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

  const std::string& file() const { return file_; }

  /// Throws FileError "file: cannot WHAT (HDF5: its innermost message)".
  [[noreturn]] void fail(std::string_view what) const;

  /// The value of an HDF5 call; fails if it is negative, by which HDF5 reports errors.
  template <class Status>
  Status check(Status status, std::string_view what) const {
    if (status < 0) fail(what);
    return status;
  }

  Hdf5Handle own(hid_t id, Hdf5Handle::Close close, std::string_view what) const {
    return {check(id, what), close};
  }

  /// Opens a file for reading from its bytes, which must outlive it. A failing disk is noticed when the bytes
  /// are read, whereas HDF5 could crash.
  Hdf5Handle open_image(std::span<const std::byte> bytes) const;

  /// Tries in a copy of this process to read a file of so many bytes; FileError: the message of the reader, or that it
  /// crashes.
  void rehearse_reading(const std::function<void()>& reading, std::size_t bytes) const;

  /// Opens a dataset by name; refused if it is a link or stores its data in other files.
  Hdf5Handle open_dataset(hid_t file, const std::string& name) const;

  std::vector<hsize_t> extents(hid_t dataset, const std::string& name) const;

  /// Refuses a dataset whose claimed size is impossible for its stored bytes, so that a damaged or hostile
  /// header is noticed before memory is allocated. `cell_bytes` is the size of one entry in memory.
  void require_plausible_size(hid_t file, hid_t dataset, const std::string& name,
                              std::size_t cell_bytes) const;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  std::string file_;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

/// The type of UTF-8 strings of any length.
Hdf5Handle hdf5_text_type(const Hdf5Session& session);

void write_attribute(const Hdf5Session& session, hid_t object, const std::string& name, hid_t type,
                     const void* value);

void write_text_attribute(const Hdf5Session& session, hid_t object, const std::string& name,
                          const std::string& text);

/// Reads a text attribute. Throws FileError if it is missing or is not a single UTF-8 or ASCII string.
std::string read_text_attribute(const Hdf5Session& session, hid_t object, const std::string& name);

enum class CellKind { real, integer, text };

/// 64 bits, little-endian, or UTF-8 texts of any length: in the file, and in memory.
Hdf5Handle cell_type(const Hdf5Session& session, CellKind kind);

/// Properties for creating a group or dataset without times, with attributes in order.
Hdf5Handle creation_properties(const Hdf5Session& session, hid_t kind);

/// Creates a dataset without values: contiguous, or in chunks of these extents with shuffle, deflate and fletcher32.
Hdf5Handle create_dataset(const Hdf5Session& session, hid_t group, const std::string& name, hid_t type,
                          const std::vector<hsize_t>& extents, const std::vector<hsize_t>& chunk = {});

using CellValues = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>>;

CellKind kind_of(const CellValues& values);

/// Writes values to a dataset of this kind: all, or those of a selection.
void write_values(const Hdf5Session& session, hid_t dataset, const std::string& name,
                  const CellValues& values, hid_t memory = H5S_ALL, hid_t place = H5S_ALL);

/// The entries of a dataset, the last dimension fastest: of any floating-point type as double, of any integer
/// type as std::int64_t (values out of range become the nearest), or UTF-8 texts of any length.
template <class T>
std::vector<T> read_values(const Hdf5Session& session, hid_t file, hid_t dataset, const std::string& name);

/// True if `scale` is attached to the dimension. (H5DSis_attached would look at every other dataset that uses
/// the scale, too, so that one missing variable would spoil all.)
bool has_dimension_scale(hid_t dataset, unsigned dimension, hid_t scale);

/// The names in the root group in the order in which they were written.
std::vector<std::string> names_in_order(const Hdf5Session& session, hid_t file);

struct ImageMemory {
  void* bytes = nullptr;  ///< the file, once HDF5 has closed it
  std::size_t room = 0;   ///< bytes that are allocated
};

/// An HDF5 file written in memory, so that HDF5 never meets a full disk. Object headers have no times; objects and
/// attributes are in order of creation; the format is that of HDF5 1.8.
class Hdf5Image {
 public:
  explicit Hdf5Image(const Hdf5Session& session);
  Hdf5Image(const Hdf5Image&) = delete;
  Hdf5Image& operator=(const Hdf5Image&) = delete;
  ~Hdf5Image();

  hid_t file() const { return file_; }

  /// Closes the file and returns its bytes, followed by the seal (io/sealed_record.hpp), which HDF5 ignores,
  /// being beyond the end of the file. Every handle into it must have been closed. Call once.
  FileBytes close();

 private:
  const Hdf5Session& session_;
  ImageMemory memory_;
  Hdf5Handle file_;
};

/// The entries of each chunk of a dataset that is written in the order of its entries. One dimension is cut into pieces;
/// those after it are whole in a chunk, and those before it have extent 1, so a chunk holds the entries that come next.
struct ChunkOrder {
  std::vector<hsize_t> extents;  ///< of the dataset
  std::vector<hsize_t> chunk;    ///< extents of a chunk

  /// Number of entries in a whole chunk.
  std::size_t capacity() const;
  /// Number of entries of the chunk that starts with entry `begin`: the last piece of a dimension is shorter.
  std::size_t length(std::size_t begin) const;
  std::vector<hsize_t> position(std::size_t begin) const;
};

/// The bytes that HDF5 stores for a chunk of `capacity` entries of 8 bytes under the filters shuffle, deflate and
/// fletcher32; zeros follow fewer entries. Throws std::bad_alloc.
std::vector<std::byte> encode_chunk(std::span<const std::byte> entries, std::size_t capacity);

/// Runs an action in a copy of this process. Returns nullopt if it succeeded (or lacked memory), the message of its
/// exception, or `crash` if it crashed or used more than `seconds` of processor time. No other thread may be inside what it
/// uses. Throws std::system_error if the system refuses the process. HDF5 trusts the files that it reads: a damaged one can
/// make it write beyond its memory. What went well in the copy goes well again here, from the same memory.
std::optional<std::string> rehearse(const std::function<void()>& action, unsigned seconds,
                                    const std::string& crash);

}  // namespace rarefact
