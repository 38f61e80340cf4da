#include "io/data_tree.hpp"

#include <fmt/format.h>

#include "io/build_info.hpp"
#include "io/checksum.hpp"
#include "io/hdf5.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

void write_array(const Hdf5Session& session, hid_t group, const DataArray& array) {
  const hsize_t length = std::visit([](const auto& values) { return values.size(); }, array.values);
  const auto type = cell_type(session, kind_of(array.values));
  const auto dataset = create_dataset(session, group, array.name, type, {length});
  write_values(session, dataset, array.name, array.values);
  write_text_attribute(session, dataset, "long_name", array.long_name);
}

void write_group(const Hdf5Session& session, hid_t id, const DataGroup& group) {
  for (const auto& [name, value] : group.attributes) write_text_attribute(session, id, name, value);
  for (const DataArray& array : group.arrays) write_array(session, id, array);
  for (const DataGroup& child : group.groups) {
    const std::string what = fmt::format("write the group '{}'", child.name);
    const auto properties = creation_properties(session, H5P_GROUP_CREATE);
    const auto made =
        session.own(H5Gcreate2(id, child.name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose, what);
    write_group(session, made, child);
  }
}

}  // namespace

const std::vector<ProvenanceField>& provenance_fields() {
  static const std::vector<ProvenanceField> fields = {
      {"rarefact_version", &Provenance::rarefact_version},
      {"git_commit", &Provenance::git_commit},
      {"compiler", &Provenance::compiler},
      {"compiler_flags", &Provenance::compiler_flags},
      {"numerics_id", &Provenance::numerics_id},
      {"hdf5_version", &Provenance::hdf5_version},
  };
  return fields;
}

Provenance this_program() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return {build_info::version,     build_info::git_commit,
          build_info::compiler,    build_info::compiler_flags,
          build_info::numerics_id, fmt::format("{}.{}.{}", major, minor, release)};
}

void write_data(const DataGroup& root, const std::filesystem::path& path) {
  const Hdf5Session session("the report");
  Hdf5Image image(session);
  DataGroup whole = root;
  const Provenance program = this_program();
  for (const auto& [name, member] : provenance_fields()) whole.attributes.emplace_back(name, program.*member);
  write_group(session, image.file(), whole);
  const FileBytes file = image.close();
  write_with_checksum(file, path, [&] {
    if (!std::filesystem::exists(path) || file_sha256(path) == file.sha256()) return;
    throw InputError(fmt::format(
        "{}: exists with other contents, so it is not overwritten: move it away or choose another output",
        path.string()));
  });
}

}  // namespace rarefact
