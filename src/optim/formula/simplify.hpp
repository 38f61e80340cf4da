#pragma once

#include "optim/formula/graph.hpp"

namespace rarefact::formula {

/// The node of this value in the graph: one that is there already, a simpler one of the same value, or a new one. Constants
/// are computed and moved in front of sums and products; Σx² becomes the square of a norm.
int simplified(Graph& graph, NodePlaces& places, Node node);

}  // namespace rarefact::formula
