#pragma once

/// The table of the engines: what each one requires of a run, what it holds, and what that takes.

#include <string>
#include <variant>
#include <vector>

#include "experiment/experiment.hpp"
#include "model/spectrum.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

/// How an optimizer of an experiment is run.
struct Reduction {
  Engine engine = Engine::columns;
  Index block = 1;          ///< classes per block of the symmetric algebra
  bool task_basis = false;  ///< orthonormal embeddings are taken out of the problem: S = W, ∇L = G
  bool by_columns = false;  ///< quadrature: the nodes are held as columns, not as a symmetric matrix
};

/// A reduction, or the reason (a clause, no full stop) why an engine would not be exact.
using Reducibility = std::variant<Reduction, std::string>;

/// One optimizer of an experiment, of which engines are asked.
struct EngineCase {
  const Experiment& experiment;
  const Spectrum& spectrum;
  const OptimizerRow& rule;
};

struct EngineRow {
  bool exact = true;          ///< else to a certified error
  bool takes_samples = true;  ///< which tell equally likely classes apart
  bool precise = false;       ///< computes in 50 digits, too
  /// Whatever the above leaves open. Precondition: an exact engine is asked of a spectrum written out.
  Reducibility (*reduce)(const EngineCase&) = nullptr;
  /// What is held, for the reason of a choice.
  std::string (*held)(const EngineCase&, const Reduction&) = nullptr;
};

/// The row of an engine:
///
///   embedding        rotation-equivariant rules           other rules
///   identity         columns if the rule keeps columns,   columns if the rule keeps columns,
///                    symmetric                            symmetric
///   orthonormal      as identity                          block_rotation: symmetric in blocks of its size,
///                                                         where group sizes are multiples; else dense
///   equicorrelated   symmetric                            dense
///   others           dense                                dense
///
/// Samples tell equally likely classes apart: symmetric and quadrature do not hold them, and columns holds
/// each class on its own, without label noise, whose draws tell wrong answers apart. dense and columns of
/// single classes need whole group sizes. quadrature takes what columns or symmetric take, blocks of
/// consecutive classes included, where the spectrum is a smooth law of distinct classes.
const EngineRow& engine_row(Engine engine);

/// The reduction of an optimizer to an engine, or why there is none.
Reducibility reduce(const EngineCase& asked, Engine engine);

/// Whether embeddings drop out of an optimizer's run: identity ones, or orthonormal ones of a rotation-equivariant rule.
bool runs_in_task_basis(const Experiment& experiment, const OptimizerRow& rule);

/// Why an embedding cannot exist for K classes, whether or not the run would need it written out; empty when
/// it can. `name` is "query" or "answer".
std::string impossible_embedding(const Component& side, const char* name, double classes);

/// One sentence on a reduction: what is held, and `why`.
std::string reason_text(const EngineCase& asked, const Reduction& reduction, const std::string& why);

}  // namespace rarefact
