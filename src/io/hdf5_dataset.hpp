#pragma once

/// Whole datasets of an untrusted HDF5 file as vectors. Each function fails as Hdf5Session::fail does where
/// the stored type is another one or the size is not plausible, before memory is asked for.

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace rarefact {

/// Entries of any floating-point type as doubles, the last dimension fastest.
std::vector<double> read_reals(const Hdf5Session& session, hid_t file, hid_t dataset,
                               const std::string& name);

/// Entries of any integer type; those beyond 64 bits become the nearest number of 64 bits.
std::vector<std::int64_t> read_integers(const Hdf5Session& session, hid_t file, hid_t dataset,
                                        const std::string& name);

/// UTF-8 texts of any length.
std::vector<std::string> read_texts(const Hdf5Session& session, hid_t file, hid_t dataset,
                                    const std::string& name);

/// Whether `scale` is attached to the dimension. (H5DSis_attached would look at every other dataset that uses
/// the scale, too, so that one missing variable would spoil all.)
bool has_dimension_scale(hid_t dataset, unsigned dimension, hid_t scale);

/// The names in the root group in the order in which they were written.
std::vector<std::string> names_in_order(const Hdf5Session& session, hid_t file);

}  // namespace rarefact
