#pragma once

#include "rarefact/catalogue.hpp"

namespace rarefact {

/// `values` with the defaults of `parameters` filled in where absent.
inline ParameterValues with_defaults(const std::vector<Parameter>& parameters, ParameterValues values) {
  for (const Parameter& parameter : parameters) {
    if (!values.has(parameter.name) && parameter.default_value) {
      values.set(parameter.name, *parameter.default_value);
    }
  }
  return values;
}

}  // namespace rarefact
