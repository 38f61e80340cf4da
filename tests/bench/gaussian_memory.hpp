#pragma once

#include "model/dense_layout.hpp"
#include "model/embedding.hpp"
#include "model/make_spectrum.hpp"
#include "optim/update_rule.hpp"
#include "sim/inputs.hpp"

namespace rarefact {

/// Facts with p ∝ k^-1.5 and Gaussian embeddings, as a run of this rule holds them: by triangles on sides that rotate.
inline DenseMemory gaussian_memory(const OptimizerRow& rule, Index classes, double dimension) {
  const auto side = [&](const char* stream, bool rotates) {
    const auto made = std::make_shared<const Matrix>(
        embedding_row("gaussian").make({{"dimension", dimension}}, {.classes = classes, .stream = stream}));
    return rotates ? triangular_factor(made) : made;
  };
  const ClassGroups groups =
      make_spectrum("power_law", {{"count", static_cast<double>(classes)}, {"exponent", 1.5}}, {});
  return {{groups, 0},
          side("query", rule.symmetries.queries_rotate),
          side("answer", rule.symmetries.answers_rotate),
          rule.symmetries.reads_task};
}

}  // namespace rarefact
