#pragma once

/// How an optimizer of an experiment runs on an engine, and its explanation. The requirements of engines are
/// the table in experiment/requirements.

#include "experiment/requirements.hpp"

namespace rarefact {

/// How an optimizer is run.
struct Reduction {
  Way way = Way::columns;
  Index block = 1;          ///< classes per block of the symmetric algebra
  bool task_basis = false;  ///< orthonormal embeddings have no effect: S = W, ∇L = G

  const std::string& engine() const { return engine_of(way).name; }
  /// True if it is exact; otherwise its error is estimated.
  bool exact() const { return way != Way::node_columns && way != Way::node_symmetric; }
  /// True if the matrices are column matrices.
  bool of_columns() const { return way == Way::columns || way == Way::modes || way == Way::node_columns; }
};

/// Precondition: no requirement rules out this way.
Reduction form_of(const EngineQuery& query, Way way);

/// A sentence: what the reduction stores, and `why`.
std::string reason_text(const EngineQuery& query, const Reduction& reduction, const std::string& why);

}  // namespace rarefact
