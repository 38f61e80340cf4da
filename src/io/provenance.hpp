#pragma once

/// Which program wrote a file: text attributes of the root of every HDF5 file it writes.

#include <string>
#include <vector>

namespace rarefact {

struct Provenance {
  std::string rarefact_version, git_commit, compiler, compiler_flags, numerics_id, hdf5_version;
};

struct ProvenanceField {
  std::string name;  ///< of the attribute
  std::string Provenance::*member;
};

/// In the order of the file.
const std::vector<ProvenanceField>& provenance_fields();

Provenance this_program();

}  // namespace rarefact
