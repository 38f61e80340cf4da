#pragma once

/// How an optimizer of an experiment runs on an engine, and its explanation. The requirements of engines are
/// the table in experiment/requirements.

#include <variant>

#include "experiment/requirements.hpp"

namespace rarefact {

/// How an optimizer is run.
struct Reduction {
  Way way = Way::columns;
  Index block = 1;          ///< classes per block of the symmetric algebra
  bool task_basis = false;  ///< orthonormal embeddings drop out: S = W, ∇L = G

  Engine engine() const { return engine_of(way); }
  /// True if it is exact; otherwise it has a certified error.
  bool exact() const { return engine() != Engine::quadrature; }
  /// True if the matrices are column matrices.
  bool of_columns() const { return way == Way::columns || way == Way::modes || way == Way::node_columns; }
};

/// A reduction, or why the engine refuses the run (a clause without full stop). If both ways of a quadrature
/// are refused, the reason is that of the second.
using ReductionOrRefusal = std::variant<Reduction, Refusal>;
ReductionOrRefusal reduce(const EngineQuery& query, Engine engine);

/// A sentence: what the reduction stores, and `why`.
std::string reason_text(const EngineQuery& query, const Reduction& reduction, const std::string& why);

}  // namespace rarefact
