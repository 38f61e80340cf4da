#pragma once

/// What a step's gradient is taken of: the population, or pairs drawn from it.

#include <string>
#include <vector>

#include "core/catalogue.hpp"

namespace rarefact {

/// population, minibatch, dataset.
const std::vector<CatalogueRow>& data_mode_catalogue();

/// How many pairs a sample of this mode has; 0 for the population.
double draws_of(const std::string& mode, const ParameterValues& parameters);

}  // namespace rarefact
