#pragma once

// The groups of a spectrum by name.

#include "model/spectrum.hpp"

namespace rarefact {

inline ClassGroups make_spectrum(const std::string& kind, const ParameterValues& parameters,
                                 const CountReader& reader) {
  return row_named(spectrum_catalogue(), kind, "spectrum").make(parameters, reader);
}

}  // namespace rarefact
