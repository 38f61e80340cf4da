#pragma once

/// Losses that training can minimise.

#include <vector>

#include "rarefact/catalogue.hpp"

namespace rarefact {

/// A row of the catalogue of losses; `formula` is L.
struct LossRow : CatalogueRow {
  /// A loss of W x and its answer y (model/least_squares.hpp), not of logits: no p̂, errors or margins. The
  /// other loss is the cross-entropy of p̂ and any answer distribution.
  bool of_outputs = false;
};

/// softmax, least_squares.
const std::vector<LossRow>& loss_catalogue();

/// Precondition: there is a row of that name.
const LossRow& loss_row(const std::string& name);

}  // namespace rarefact
