#include "io/hdf5_dataset.hpp"

#include <fmt/format.h>

namespace rarefact {

namespace {

template <class T>
std::vector<T> read(const Hdf5Session& session, hid_t file, hid_t dataset, const std::string& name,
                    H5T_class_t stored, hid_t memory) {
  const std::string what = fmt::format("read '{}'", name);
  const auto type = session.own(H5Dget_type(dataset), H5Tclose, what);
  if (H5Tget_class(type) != stored || (stored == H5T_STRING && H5Tis_variable_str(type) <= 0)) {
    session.fail(fmt::format("use '{}': its entries are of another type", name));
  }
  session.require_plausible_size(file, dataset, name, sizeof(T));
  std::size_t cells = 1;
  for (const hsize_t extent : session.extents(dataset, name)) cells *= extent;
  std::vector<T> values(cells);
  session.check(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  return values;
}

}  // namespace

std::vector<double> read_reals(const Hdf5Session& session, hid_t file, hid_t dataset,
                               const std::string& name) {
  return read<double>(session, file, dataset, name, H5T_FLOAT, H5T_NATIVE_DOUBLE);
}

std::vector<std::int64_t> read_integers(const Hdf5Session& session, hid_t file, hid_t dataset,
                                        const std::string& name) {
  return read<std::int64_t>(session, file, dataset, name, H5T_INTEGER, H5T_NATIVE_INT64);
}

std::vector<std::string> read_texts(const Hdf5Session& session, hid_t file, hid_t dataset,
                                    const std::string& name) {
  const auto type = hdf5_text_type(session);
  std::vector<std::string> texts;
  for (char* pointer : read<char*>(session, file, dataset, name, H5T_STRING, type)) {
    texts.emplace_back(pointer != nullptr ? pointer : "");
    H5free_memory(pointer);
  }
  return texts;
}

bool has_dimension_scale(hid_t dataset, unsigned dimension, hid_t scale) {
  H5O_info_t wanted{};
  if (H5Oget_info2(scale, &wanted, H5O_INFO_BASIC) < 0) return false;
  const auto compare = [](hid_t, unsigned, hid_t found, void* address) -> herr_t {
    H5O_info_t info{};
    if (H5Oget_info2(found, &info, H5O_INFO_BASIC) < 0) return -1;
    return info.addr == *static_cast<haddr_t*>(address) ? 1 : 0;
  };
  return H5DSiterate_scales(dataset, dimension, nullptr, compare, &wanted.addr) == 1;
}

std::vector<std::string> names_in_order(const Hdf5Session& session, hid_t file) {
  const char* what = "list its variables";
  H5G_info_t group{};
  session.check(H5Gget_info(file, &group), what);
  std::vector<std::string> names;
  for (hsize_t i = 0; i < group.nlinks; ++i) {
    const auto get = [&](char* name, std::size_t size) {
      return session.check(
          H5Lget_name_by_idx(file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, size, H5P_DEFAULT), what);
    };
    std::string name(static_cast<std::size_t>(get(nullptr, 0)), '\0');
    get(name.data(), name.size() + 1);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace rarefact
