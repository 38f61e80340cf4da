#pragma once

/// Whole datasets as vectors. Reading trusts nothing: each function fails as Hdf5Session::fail does where the
/// stored type is another one or the size is not plausible, before memory is asked for.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "io/hdf5.hpp"

namespace rarefact {

enum class CellKind { real, integer, text };

/// 64 bits, little-endian, or UTF-8 texts of any length: as stored, and as they lie in memory.
Hdf5Handle cell_type(const Hdf5Session& session, CellKind kind);

/// For creating a group or dataset without times, which keeps the order of its attributes.
Hdf5Handle creation_properties(const Hdf5Session& session, hid_t kind);

/// A new dataset without its values. With the extents of a chunk it is stored in chunks with shuffle, deflate
/// of level 1 and fletcher32, else in one piece.
Hdf5Handle create_dataset(const Hdf5Session& session, hid_t group, const std::string& name, hid_t type,
                          const std::vector<hsize_t>& extents, const std::vector<hsize_t>& chunk = {});

using CellValues = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>>;

CellKind kind_of(const CellValues& values);

/// All values of a dataset of that kind.
void write_values(const Hdf5Session& session, hid_t dataset, const std::string& name,
                  const CellValues& values);

/// The entries of a dataset, the last dimension fastest: of any floating-point type as double, of any integer
/// type as std::int64_t (those beyond become the nearest), or UTF-8 texts of any length.
template <class T>
std::vector<T> read_values(const Hdf5Session& session, hid_t file, hid_t dataset, const std::string& name);

/// Whether `scale` is attached to the dimension. (H5DSis_attached would look at every other dataset that uses
/// the scale, too, so that one missing variable would spoil all.)
bool has_dimension_scale(hid_t dataset, unsigned dimension, hid_t scale);

/// The names in the root group in the order in which they were written.
std::vector<std::string> names_in_order(const Hdf5Session& session, hid_t file);

}  // namespace rarefact
