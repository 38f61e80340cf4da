#include "io/data_tree.hpp"

#include <fmt/format.h>

#include <span>

#include "core/digest.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/build_info.hpp"
#include "io/checksum.hpp"
#include "io/hdf5_image.hpp"

namespace rarefact {

namespace {

Hdf5Handle creation_properties(const Hdf5Session& session, hid_t kind) {
  auto plist = session.own(H5Pcreate(kind), H5Pclose, "set up the file");
  session.check(H5Pset_obj_track_times(plist, false), "set up the file");
  session.check(H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
                "set up the file");
  return plist;
}

void write_array(const Hdf5Session& session, hid_t group, const DataArray& array) {
  const std::string what = fmt::format("write '{}'", array.name);
  const auto properties = creation_properties(session, H5P_DATASET_CREATE);
  const auto text = hdf5_text_type(session);
  const auto add = [&](hid_t stored, hid_t memory, std::size_t length, const void* data) {
    const hsize_t extent = length;
    const auto space = session.own(H5Screate_simple(1, &extent, nullptr), H5Sclose, what);
    const auto dataset = session.own(
        H5Dcreate2(group, array.name.c_str(), stored, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
        what);
    session.check(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), what);
    write_text_attribute(session, dataset, "long_name", array.long_name);
  };
  if (const auto* reals = std::get_if<std::vector<double>>(&array.values)) {
    add(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, reals->size(), reals->data());
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&array.values)) {
    add(H5T_STD_I64LE, H5T_NATIVE_INT64, integers->size(), integers->data());
  } else {
    std::vector<const char*> pointers;
    for (const std::string& one : std::get<std::vector<std::string>>(array.values))
      pointers.push_back(one.c_str());
    add(text, text, pointers.size(), pointers.data());
  }
}

void write_group(const Hdf5Session& session, hid_t id, const DataGroup& group) {
  for (const auto& [name, value] : group.attributes) write_text_attribute(session, id, name, value);
  for (const DataArray& array : group.arrays) write_array(session, id, array);
  for (const DataGroup& child : group.groups) {
    const std::string what = fmt::format("write the group '{}'", child.name);
    const auto properties = creation_properties(session, H5P_GROUP_CREATE);
    session.check(H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
                  what);
    const auto made =
        session.own(H5Gcreate2(id, child.name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose, what);
    write_group(session, made, child);
  }
}

}  // namespace

std::vector<std::byte> encode_data(const DataGroup& root) {
  const Hdf5Session session("the report");
  Hdf5Image image(session);
  DataGroup whole = root;
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"rarefact_version", build_info::version},
        {"git_commit", build_info::git_commit},
        {"compiler", build_info::compiler},
        {"compiler_flags", build_info::compiler_flags},
        {"numerics_id", build_info::numerics_id}})
    whole.attributes.emplace_back(name, value);
  write_group(session, image.file(), whole);
  return image.close();
}

void write_data(const DataGroup& root, const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = encode_data(root);
  const std::string digest = sha256_hex(bytes), line = checksum_line(digest, path);
  const auto refuse_other = [&] {
    if (file_sha256(path) == digest) return;
    throw InputError(fmt::format(
        "{}: exists with other contents, so it is not overwritten: move it away or choose another output",
        path.string()));
  };
  if (std::filesystem::exists(path)) {
    refuse_other();
    if (verify_checksum(path) != ChecksumState::agrees) write_file(checksum_path(path), line);
    return;
  }
  make_folder_of(path);
  TemporaryFile file(path, bytes);
  TemporaryFile checksum(checksum_path(path), std::as_bytes(std::span(line)));
  if (!file.publish_new()) refuse_other();
  checksum.publish();
  sync_folder(folder_of(path));
}

}  // namespace rarefact
