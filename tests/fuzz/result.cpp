// Result files. An input that begins as HDF5 files do is one as it is: damaged, it is refused before HDF5 sees it; with a
// new checksum HDF5 may crash, but not this program. Any other input is a list of edits, some bytes each, of a sound file:
// links, datasets, attributes, scales and values that are none of ours, written by HDF5 and sealed. What is found sound
// then can be written again.

#include <algorithm>
#include <fstream>
#include <iterator>

#include "fuzz/target.hpp"
#include "io/hdf5.hpp"
#include "rarefact/error.hpp"
#include "results/result_file.hpp"
#include "results/sample_result.hpp"

using namespace rarefact::fuzz;

namespace {

/// The bytes of an input one after another, zeros after the last.
class Bytes {
 public:
  explicit Bytes(const std::string& bytes) : bytes_(bytes) {}
  bool over() const { return at_ >= bytes_.size(); }
  std::size_t next() { return over() ? 0 : static_cast<unsigned char>(bytes_[at_++]); }
  std::uint64_t number() {
    std::uint64_t number = 0;
    for (int i = 0; i < 8; ++i) number = number << 8 | next();
    return number;
  }
  std::string text() {
    std::string text;
    for (std::size_t left = next() % 16; left > 0; --left)
      text += static_cast<char>(std::max<std::size_t>(1, next()));
    return text;
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

const std::string& sound_file() {
  static const std::string bytes = text_of(encode_result(sample_result()).bytes());
  return bytes;
}

hid_t type_of(std::size_t draw, const Hdf5Session& session) {
  static const std::vector<hid_t> types = {H5T_IEEE_F64LE,
                                           H5T_IEEE_F32BE,
                                           H5T_STD_I64LE,
                                           H5T_STD_U8LE,
                                           H5T_C_S1,
                                           hdf5_text_type(session).release(),
                                           H5Tcreate(H5T_OPAQUE, 8)};
  return types[draw % types.size()];
}

Hdf5Handle space_of(Bytes& input) {
  std::vector<hsize_t> extents;
  for (std::size_t rank = input.next() % 6; rank > 0; --rank) extents.push_back(input.next() % 5);
  return {extents.empty() ? H5Screate(H5S_SCALAR)
                          : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
          H5Sclose};
}

/// One value of a dataset of numbers becomes another.
void set_value(hid_t dataset, Bytes& input) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
  const bool real = H5Tget_class(type) == H5T_FLOAT;
  if (!real && H5Tget_class(type) != H5T_INTEGER) return;
  const hid_t memory = real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  std::vector<std::uint64_t> values(
      static_cast<std::size_t>(std::max<hssize_t>(1, H5Sget_simple_extent_npoints(space))));
  H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  values[input.next() % values.size()] = input.number();
  H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

void set_attribute(const Hdf5Session& session, hid_t object, const std::string& name, Bytes& input) {
  H5Adelete(object, name.c_str());
  if (input.next() % 2 == 0) return write_text_attribute(session, object, name, input.text());
  const Hdf5Handle space = space_of(input);
  Hdf5Handle(
      H5Acreate2(object, name.c_str(), type_of(input.next(), session), space, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
}

/// What HDF5 refuses is left as it is.
void edit(const Hdf5Session& session, hid_t file, Bytes& input) {
  const std::vector<std::string> names = names_in_order(session, file);
  if (names.empty()) return;
  const std::string name = names[input.next() % names.size()], other = names[input.next() % names.size()];
  const std::size_t what = input.next() % 9;
  if (what == 0) H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  if (what == 1) H5Lmove(file, name.c_str(), file, input.text().c_str(), H5P_DEFAULT, H5P_DEFAULT);
  if (what == 2) {
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    const std::size_t kind = input.next() % 4;
    if (kind == 0) H5Lcreate_soft("/loss", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (kind == 1) H5Lcreate_external("/dev/zero", "/loss", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (kind == 2) H5Lcreate_hard(file, other.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (kind == 3)
      Hdf5Handle(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  }
  if (what == 3) {
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    const Hdf5Handle space = space_of(input);
    Hdf5Handle(H5Dcreate2(file, name.c_str(), type_of(input.next(), session), space, H5P_DEFAULT, H5P_DEFAULT,
                          H5P_DEFAULT),
               H5Dclose);
  }
  if (what == 4) {
    static const std::vector<std::string> of_root = {"experiment", "title", "schema_version", "values_sha256",
                                                     "git_commit"};
    set_attribute(session, file, of_root[input.next() % of_root.size()], input);
  }
  if (what < 5) return;
  const Hdf5Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Handle scale(H5Dopen2(file, other.c_str(), H5P_DEFAULT), H5Dclose);
  if (dataset < 0) return;
  if (what == 5) {
    static const std::vector<std::string> of_all = {"units",  "long_name", "key",
                                                    "source", "CLASS",     "DIMENSION_LIST"};
    set_attribute(session, dataset, of_all[input.next() % of_all.size()], input);
  }
  // Both crash on a DIMENSION_LIST that an edit before made of something else.
  const auto dimension = static_cast<unsigned>(input.next() % 4);
  const bool attached = has_dimension_scale(dataset, dimension, scale);
  if (what == 6 && H5Aexists(dataset, "DIMENSION_LIST") == 0) H5DSattach_scale(dataset, scale, dimension);
  if (what == 7 && attached) H5DSdetach_scale(dataset, scale, dimension);
  if (what == 8) set_value(dataset, input);
}

std::string sealed(const std::string& bytes) {
  const auto content = bytes_of(bytes);
  return text_of(with_seal({content.begin(), content.end()}));
}

std::string edited(const std::string& edits) {
  const auto path = file_with("edited.h5", sound_file().substr(0, sound_file().size() - seal_bytes));
  {
    const Hdf5Session session(path.string());
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    Bytes input(edits);
    for (int left = 8; left > 0 && !input.over(); --left) {
      try {
        edit(session, file, input);
      } catch (const FileError&) {
        // HDF5 refuses some edits of what is damaged already.
      }
    }
  }
  std::ifstream in(path, std::ios::binary);
  return sealed({std::istreambuf_iterator<char>(in), {}});
}

void run(const std::string& bytes) {
  const bool as_it_is = bytes.starts_with("\x89HDF");
  const auto path = file_with("fuzzed.h5", as_it_is ? bytes : edited(bytes));
  const bool sound = check_result(path).empty();
  if (as_it_is) {
    require(!sound || bytes == sound_file(), "a damaged file is found sound");
    const auto forged =
        file_with("fuzzed.h5", sealed(bytes.substr(0, bytes.size() - std::min(bytes.size(), seal_bytes))));
    if (check_result(forged).empty()) read_result(forged);
    return;
  }
  if (!sound) return;
  const FileBytes again = encode_result(read_result(path));
  const auto findings = check_result(file_with("fuzzed.h5", text_of(again.bytes())));
  require(findings.empty(),
          "a sound result, written again, is not: " + (findings.empty() ? "" : findings[0]));
}

std::vector<std::string> seeds() {
  // A file that edits damaged may not be closed, and at the end of the process HDF5 would fall over it.
  H5dont_atexit();
  return {"", sound_file(), std::string("\0\0\0", 3), std::string("\5\0\3\2\2\2\0", 7),
          std::string("\7\3\x08\1\x7f\xf0\0\0\0\0\0\0", 12)};
}

std::vector<std::string> words() {
  std::vector<std::string> words = {std::string(8, '\0'), std::string("\x7f\xf8\0\0\0\0\0\0", 8), "param_x",
                                    "\x89HDF"};
  for (char what = 0; what < 9; ++what) words.push_back(std::string("\4\1") + what);
  return words;
}

const Added added({"result", seeds, words, run});

}  // namespace
