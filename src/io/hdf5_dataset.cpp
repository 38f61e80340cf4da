#include <fmt/format.h>

#include <bit>

#include "io/hdf5.hpp"

namespace rarefact {

namespace {

template <class T>
std::vector<T> read(const Hdf5Session& session, hid_t file, hid_t dataset, const std::string& name,
                    H5T_class_t stored, hid_t memory) {
  const std::string what = fmt::format("read '{}'", name);
  const auto type = session.own(H5Dget_type(dataset), H5Tclose, what);
  if (H5Tget_class(type) != stored || (stored == H5T_STRING && H5Tis_variable_str(type) <= 0))
    session.fail(fmt::format("use '{}': its entries are of another type", name));
  session.require_plausible_size(file, dataset, name, sizeof(T));
  std::size_t cells = 1;
  for (const hsize_t extent : session.extents(dataset, name)) cells *= extent;
  std::vector<T> values(cells);
  session.check(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  return values;
}

}  // namespace

Hdf5Handle cell_type(const Hdf5Session& session, CellKind kind) {
  static_assert(std::endian::native == std::endian::little, "cells are stored little-endian");
  if (kind == CellKind::text) return hdf5_text_type(session);
  return session.own(H5Tcopy(kind == CellKind::real ? H5T_IEEE_F64LE : H5T_STD_I64LE), H5Tclose,
                     "make a type");
}

Hdf5Handle creation_properties(const Hdf5Session& session, hid_t kind) {
  const char* what = "set up an object of the file";
  auto plist = session.own(H5Pcreate(kind), H5Pclose, what);
  session.check(H5Pset_obj_track_times(plist, false), what);
  constexpr unsigned in_order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  session.check(H5Pset_attr_creation_order(plist, in_order), what);
  if (kind != H5P_DATASET_CREATE) session.check(H5Pset_link_creation_order(plist, in_order), what);
  return plist;
}

Hdf5Handle create_dataset(const Hdf5Session& session, hid_t group, const std::string& name, hid_t type,
                          const std::vector<hsize_t>& extents, const std::vector<hsize_t>& chunk) {
  const std::string what = fmt::format("write '{}'", name);
  const auto plist = creation_properties(session, H5P_DATASET_CREATE);
  if (!chunk.empty()) {
    session.check(H5Pset_chunk(plist, static_cast<int>(chunk.size()), chunk.data()), what);
    session.check(H5Pset_shuffle(plist), what);
    session.check(H5Pset_deflate(plist, 1), what);
    session.check(H5Pset_fletcher32(plist), what);
  }
  const auto space = session.own(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                                 H5Sclose, what);
  return session.own(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose,
                     what);
}

CellKind kind_of(const CellValues& values) {
  return static_cast<CellKind>(values.index());
}

void write_values(const Hdf5Session& session, hid_t dataset, const std::string& name,
                  const CellValues& values, hid_t memory, hid_t place) {
  const auto write = [&](const auto* data) {
    session.check(H5Dwrite(dataset, cell_type(session, kind_of(values)), memory, place, H5P_DEFAULT, data),
                  fmt::format("write '{}'", name));
  };
  if (const auto* texts = std::get_if<std::vector<std::string>>(&values)) {
    std::vector<const char*> pointers;
    for (const std::string& text : *texts) pointers.push_back(text.c_str());
    return write(pointers.data());
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&values)) return write(reals->data());
  write(std::get<std::vector<std::int64_t>>(values).data());
}

template <class T>
std::vector<T> read_values(const Hdf5Session& session, hid_t file, hid_t dataset, const std::string& name) {
  if constexpr (std::is_same_v<T, double>) {
    return read<T>(session, file, dataset, name, H5T_FLOAT, H5T_NATIVE_DOUBLE);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return read<T>(session, file, dataset, name, H5T_INTEGER, H5T_NATIVE_INT64);
  } else {
    std::vector<T> texts;
    for (char* pointer : read<char*>(session, file, dataset, name, H5T_STRING, hdf5_text_type(session))) {
      texts.emplace_back(pointer != nullptr ? pointer : "");
      H5free_memory(pointer);
    }
    return texts;
  }
}
template std::vector<double> read_values(const Hdf5Session&, hid_t, hid_t, const std::string&);
template std::vector<std::int64_t> read_values(const Hdf5Session&, hid_t, hid_t, const std::string&);
template std::vector<std::string> read_values(const Hdf5Session&, hid_t, hid_t, const std::string&);

bool has_dimension_scale(hid_t dataset, unsigned dimension, hid_t scale) {
  // H5DSiterate_scales crashes if this attribute does not have the form that it writes.
  const Hdf5Handle list(H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(list), H5Tclose), entry(H5Tget_super(type), H5Tclose);
  const Hdf5Handle lists(H5Aget_space(list), H5Sclose), cells(H5Dget_space(dataset), H5Sclose);
  if (H5Tget_class(type) != H5T_VLEN || H5Tequal(entry, H5T_STD_REF_OBJ) <= 0 ||
      H5Sget_simple_extent_npoints(lists) != H5Sget_simple_extent_ndims(cells))
    return false;
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
