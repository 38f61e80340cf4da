#pragma once

/// Losses that training can minimise.

#include <type_traits>
#include <vector>

#include "core/real50.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

template <class Real>
struct QueryColumn;

/// A loss of p̂ for a query with one certain answer: replaces the logits of its column by ∂L/∂S, returns L.
struct ColumnLoss {
  template <class Real>
  using Of = Real (*)(QueryColumn<Real>& logits);
  Of<double> of = nullptr;
  Of<Real50> of50 = nullptr;

  template <class Real>
  Of<Real> in() const {
    if constexpr (std::is_same_v<Real, double>)
      return of;
    else
      return of50;
  }
};

/// A row of the catalogue of losses; `formula` is L.
struct LossRow : CatalogueRow {
  /// A loss of W x and its answer y (model/least_squares.hpp), not of logits: no p̂, errors or margins.
  bool of_outputs = false;
  /// The cross-entropy of p̂ and any answer distribution: supports label noise, answer laws, curvature, and
  /// closed forms of its margins.
  bool of_distributions = false;
  ColumnLoss column = {};  ///< for other losses
};

/// softmax, least_squares.
const std::vector<LossRow>& loss_catalogue();

/// Precondition: there is a row of that name.
const LossRow& loss_row(const std::string& name);

}  // namespace rarefact
