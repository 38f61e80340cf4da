#pragma once

/// Which matrix algebra holds a run exactly: the table of the symmetry reduction.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rarefact/core/error.hpp"
#include "rarefact/model/spectrum.hpp"
#include "rarefact/optim/optimizer_catalogue.hpp"
#include "rarefact/sim/experiment.hpp"

namespace rarefact {

/// Engines from cheap to general.
inline const std::vector<std::string> engine_names = {"columns", "symmetric", "dense"};

/// How an optimizer of an experiment is run.
struct Reduction {
  std::string engine;
  Index block = 1;          ///< classes per block of the symmetric algebra
  bool task_basis = false;  ///< orthonormal embeddings are taken out of the problem: S = W, ∇L = G
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
/// dense needs whole group sizes.
std::variant<Reduction, std::string> reduce(const Experiment& experiment, const OptimizerRow& rule,
                                            const ClassGroups& groups, const std::string& engine);

/// Bytes of the state of a reduced run and of its work space; what a refusal quotes.
double memory_bytes(const Experiment& experiment, const ClassGroups& groups, const Reduction& reduction);

/// Bytes of the recorded per-class results of all optimizers.
double record_bytes(const Experiment& experiment, const ClassGroups& groups);

/// The reduction of every optimizer, chosen or checked, with its reason. Errors as choose_engines.
struct ReducedOptimizer {
  Reduction reduction;
  std::string reason;
  double memory = 0;
};
std::vector<ReducedOptimizer> reduce_all(const Experiment& experiment, const ClassGroups& groups,
                                         double memory_limit_bytes);

}  // namespace rarefact
