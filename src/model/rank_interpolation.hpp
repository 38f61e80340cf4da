#pragma once

#include "model/quadrature_rule.hpp"

namespace rarefact {

/// Values at any rank from values at the nodes of a Gauss rule: Lagrange interpolation in x = ln k in
/// barycentric form. Row r of the result holds the weights of the nodes for target r; a target on a node
/// takes that node alone. As the nodes follow the measure Σ δ(ln k)/k, they sit on the classes themselves in
/// the head, where no class is between them, and among the many classes of the tail they are spread like
/// Gauss nodes, so the weights stay small at every real class, the first and last included.
Matrix interpolation_weights(const QuadratureRule& rule, const std::vector<double>& ranks);

}  // namespace rarefact
