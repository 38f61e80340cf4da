#pragma once

/// Provenance, in every HDF5 file of the program, and files of named arrays in groups, such as reports of checks.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rarefact {

/// The program that wrote a file, as text attributes of the root.
struct Provenance {
  std::string rarefact_version, git_commit, compiler, compiler_flags, numerics_id, hdf5_version;
};

struct ProvenanceField {
  std::string name;  ///< of the attribute
  std::string Provenance::*member;
};

const std::vector<ProvenanceField>& provenance_fields();

Provenance this_program();

struct DataArray {
  std::string name;
  std::string long_name;  ///< stored as attribute
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
};

/// Names have no "/" and are unique in their group. Order is kept.
struct DataGroup {
  std::string name = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<DataArray> arrays = {};
  std::vector<DataGroup> groups = {};
};

/// Writes `path` and `path`.sha256 whole or not at all, with the provenance after the root's attributes; equal trees give
/// equal bytes. Throws InputError if `path` exists with other bytes, and FileError (folder, disk).
void write_data(const DataGroup& root, const std::filesystem::path& path);

}  // namespace rarefact
