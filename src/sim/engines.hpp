#pragma once

/// How an optimizer of an experiment is run on an engine, and what is said of it. What engines require is the table in
/// experiment/requirements.

#include <variant>

#include "experiment/requirements.hpp"

namespace rarefact {

/// How an optimizer of an experiment is run.
struct Reduction {
  Way way = Way::columns;
  Index block = 1;          ///< classes per block of the symmetric algebra
  bool task_basis = false;  ///< orthonormal embeddings are taken out of the problem: S = W, ∇L = G

  Engine engine() const { return engine_of(way); }
  /// Else to a certified error.
  bool exact() const { return engine() != Engine::quadrature; }
  /// Whether the matrices are column matrices.
  bool of_columns() const { return way == Way::columns || way == Way::modes || way == Way::node_columns; }
};

/// A reduction, or why the engine does not take the run (a clause, no full stop). Of a quadrature that neither of its ways
/// takes the reason of the second.
using Reducibility = std::variant<Reduction, Refusal>;
Reducibility reduce(const EngineCase& asked, Engine engine);

/// Why a reduction is exact: "answers are identity and queries drop out".
std::string embeddings_text(const EngineCase& asked, const Reduction& reduction);

/// One sentence on a reduction: what is held, and `why`.
std::string reason_text(const EngineCase& asked, const Reduction& reduction, const std::string& why);

}  // namespace rarefact
