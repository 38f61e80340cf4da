#pragma once

#include <string>
#include <vector>

#include "optim/formula/graph.hpp"

namespace rarefact::formula {

/// All entries of a value lie between these; infinite where nothing is known.
struct Bounds {
  double low, high;
};

/// Bounds of an entrywise operation.
Bounds bounds_of(const Node& node, const std::vector<Bounds>& x);

/// What the arguments may be and must not: "negative"; empty where the operation has a value everywhere.
std::string forbidden(const Node& node, const std::vector<Bounds>& x);

}  // namespace rarefact::formula
