#pragma once

/// What the engines ask of the two embeddings.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/embedding.hpp"
#include "sim/engines.hpp"

namespace rarefact {

/// Queries or answers.
struct EmbeddedSide {
  const char* name;  ///< "queries" or "answers"
  const Component& component;
  bool rotates;  ///< the rule, on this side
  const EmbeddingRow& embedding = embedding_row(component.kind);

  bool identity() const { return embedding.identity; }
  /// Leaves the run unchanged: identity does for every rule, orthonormal ones do where the rule rotates.
  bool drops_out() const { return embedding.identity || (embedding.orthonormal && rotates); }
};

struct Sides : std::array<EmbeddedSide, 2> {
  Sides(const Experiment& experiment, const Symmetries& rule)
      : array{{{"queries", experiment.query_embedding, rule.queries_rotate},
               {"answers", experiment.answer_embedding, rule.answers_rotate}}} {}
  explicit Sides(const EngineCase& asked) : Sides(asked.experiment, asked.symmetries) {}
  bool identity() const { return std::ranges::all_of(*this, &EmbeddedSide::identity); }
  bool drop_out() const { return std::ranges::all_of(*this, &EmbeddedSide::drops_out); }
  /// The kind that stands in the way, for a message; null where none does.
  const std::string* first_without(bool EmbeddingRow::*property) const {
    const auto found =
        std::ranges::find_if(*this, [&](const EmbeddedSide& one) { return !(one.embedding.*property); });
    return found == end() ? nullptr : &found->component.kind;
  }
};

/// Precondition: a side neither drops out nor does the rule rotate on it.
inline std::string entry_by_entry(const Sides& sides, const OptimizerRow& rule) {
  const EmbeddedSide& side =
      *std::ranges::find_if(sides, [](const EmbeddedSide& one) { return !one.drops_out() && !one.rotates; });
  const bool both = !sides[0].rotates && !sides[1].rotates;
  return fmt::format("{} acts entry by entry {}in the coordinates of W, which embedding '{}' mixes",
                     rule.name, both ? "" : fmt::format("on {} ", side.name), side.component.kind);
}

inline std::string not_whole(const Spectrum& spectrum) {
  for (const double n : spectrum.groups->count) {
    if (n != std::floor(n))
      return fmt::format("a group has {:.17g} {}, not a whole number", n,
                         spectrum.answers ? "queries (answers.rounded = false)" : "classes");
  }
  return "";
}

/// The symmetric algebra, whatever the groups are.
Reducibility reduce_to_algebra(const EngineCase& asked);

// Of least squares, in squares_engines.cpp.
Reducibility reduce_to_modes(const EngineCase& asked);
Reducibility squares_on_columns(const EngineCase& asked);
Reducibility squares_on_symmetric(const EngineCase& asked);
Reducibility squares_on_dense(const EngineCase& asked);

}  // namespace rarefact
