#pragma once

/// Which matrix algebra holds a run exactly: the table of the symmetry reduction.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "experiment/experiment.hpp"
#include "model/spectrum.hpp"
#include "optim/optimizer_catalogue.hpp"

namespace rarefact {

/// Engines from cheap to general.
inline const std::vector<std::string> engine_names = {"columns", "symmetric", "quadrature", "dense"};

/// Whether an engine holds a run exactly; quadrature holds it to a certified error.
inline bool is_exact(const std::string& engine) {
  return engine != "quadrature";
}

/// How an optimizer of an experiment is run.
struct Reduction {
  std::string engine;
  Index block = 1;          ///< classes per block of the symmetric algebra
  bool task_basis = false;  ///< orthonormal embeddings are taken out of the problem: S = W, ∇L = G
  bool by_columns = false;  ///< quadrature: the nodes are held as columns, not as a symmetric matrix
};

/// The reduction of `rule` to `engine`, or the reason (a clause, no full stop) why that engine would not be
/// exact:
///
///   embedding        rotation-equivariant rules                 other rules
///   identity         columns if the rule keeps columns,         columns if the rule keeps columns,
///                    symmetric                                  symmetric
///   orthonormal      as identity                                block_rotation: symmetric in blocks of its
///   size,
///                                                               where group sizes are multiples; else dense
///   equicorrelated   symmetric                                  dense
///   others           dense                                      dense
///
/// Samples tell equally likely classes apart: symmetric and quadrature do not hold them, and columns holds
/// each class on its own, without label noise, whose draws tell wrong answers apart. dense and columns of
/// single classes need whole group sizes. quadrature takes what columns or symmetric take, blocks of
/// consecutive classes included, where the spectrum is a smooth law of distinct classes.
std::variant<Reduction, std::string> reduce(const Experiment& experiment, const OptimizerRow& rule,
                                            const Spectrum& spectrum, const std::string& engine);

/// Why an embedding cannot exist for K classes, whether or not the run would need it written out; empty when
/// it can. `name` is "query" or "answer".
std::string impossible_embedding(const Component& side, const char* name, double classes);

/// One sentence on a reduction: what is held, and `why`.
std::string reason_text(const Experiment& experiment, const Spectrum& spectrum, const Reduction& reduction,
                        const std::string& why);

}  // namespace rarefact
