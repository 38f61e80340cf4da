#include "io/provenance.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include "io/build_info.hpp"

namespace rarefact {

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

}  // namespace rarefact
